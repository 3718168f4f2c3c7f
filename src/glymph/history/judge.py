"""Has a reader judge which sentences of a conversation to keep, for as long as there is time.

People's sentences are graded first, each by itself; those that may last are then read in their
context, the likeliest first, and at last an agent's. What the time does not reach has no verdict,
and is left to rules.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from glymph.history.compaction import Verdict
from glymph.learn.sift import ANSWERING, CONTINUED, JOINED, LEAST
from glymph.learn.sift import NONE as DROPPED
from glymph.reader.contract import Judgement, Reader
from glymph.reader.no_reader import NoReader
from glymph.reader.wording import WORTHS, Said

T = TypeVar("T")

MOST = 400  # sentences of one stretch that are judged
BATCH = 4  # sentences that are judged between two looks at the clock
MAY_LAST = 0.1  # from how likely on a sentence that lasts is read in its context
NOISE, LASTING, VITAL = (WORTHS.index(word) for word in ("noise", "lasting", "vital"))


class ReaderJudge:
    """Judges the parts of one conversation; each gets its share of the seconds that are left."""

    def __init__(
        self, reader: Reader, seconds: float, *, parts: int = 1,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.judged = 0  # sentences that have a verdict
        self._reader, self._left, self._parts, self._clock = reader, seconds, parts, clock
        self._until = 0.0

    def __call__(self, sentences: Sequence[Said]) -> list[Verdict | None]:
        """Judges sentences, the first ones first; None for those that there was no time for."""
        verdicts: list[Verdict | None] = [None] * len(sentences)
        if self._reader.name == NoReader.name:
            return verdicts
        began = self._clock()
        self._until = began + max(0.0, self._left) / max(1, self._parts)
        self._judge(sentences, verdicts)
        self._left -= self._clock() - began
        self._parts -= 1
        self.judged += sum(verdict is not None for verdict in verdicts)
        return verdicts

    def _judge(self, sentences: Sequence[Said], verdicts: list[Verdict | None]) -> None:
        numbers = range(min(MOST, len(sentences)))
        people = [at for at in numbers if sentences[at].role == "user"]
        for part in self._while_there_is_time(people):
            graded = self._reader.grade([sentences[at].text for at in part])
            for at, one in zip(part, graded, strict=True):
                verdicts[at] = _read_grade(one)
        worths = {at: given.worth for at in people if (given := verdicts[at]) is not None}
        likely = [at for at in sorted(worths, key=lambda at: -worths[at]) if worths[at] >= MAY_LAST]
        agents = [at for at in numbers if sentences[at].role != "user"]
        for part in self._while_there_is_time([*likely, *agents]):
            sifted = self._reader.sift([sentences[at] for at in part])
            for at, one in zip(part, sifted, strict=True):
                verdicts[at] = _read_sifting(one, verdicts[at])

    def _while_there_is_time(self, several: Sequence[T]) -> Iterator[Sequence[T]]:
        for start in range(0, len(several), BATCH):
            if self._clock() >= self._until:
                return
            yield several[start : start + BATCH]


def _read_grade(judgement: Judgement) -> Verdict | None:
    """Returns the verdict on a sentence by itself; None from a reader that cannot tell."""
    if not judgement.shares:
        return None
    shares = judgement.shares
    return Verdict(shares[LASTING] + shares[VITAL], shares[NOISE])


def _read_sifting(judgement: Judgement, graded: Verdict | None) -> Verdict | None:
    """Returns the verdict on a sentence in its context, together with the one by itself."""
    if not judgement.shares:
        return graded
    shares = judgement.shares
    kept = 1 - shares[DROPPED]
    if graded is None:  # an agent's
        worth, noise = (kept if kept >= LEAST["assistant"] else 0.0), 0.0
    else:
        worth, noise = math.sqrt(kept * graded.worth), graded.noise
    if shares[CONTINUED] >= JOINED * kept:
        return Verdict(worth, noise, "before")
    return Verdict(worth, noise, "question" if shares[ANSWERING] >= JOINED * kept else "")
