"""Information: how much a text tells that may be asked for later.

It is judged by the text and the words of its space. Rare words count, numbers and names among them,
but only the rarest of a text: otherwise length alone would win. Days and dates, what the writer
did, has or likes, and standing rules ("always", "never", "I prefer") count for a text; speaking to
the reader, merely replying, and pasted code count against it. Nothing here looks at questions or
uses. The word lists are English: of a text that has none of it, as most in other languages, it
counts how surely a reader holds it to be of lasting worth, where one has read it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import astuple, dataclass, fields
from heapq import nlargest
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glymph.text.dates import ENGLISH_MONTHS, SHORT_MONTHS, WEEKDAYS
from glymph.text.patterns import compile_late
from glymph.text.words import drop_stop_words, split_words, word_set

RAREST = 15  # words of a text that count
ENOUGH = 2  # days named, or statements about oneself: more of them do not tell more
# of a line's characters are letters or blanks; a line with fewer is code, a table or a path
PROSE = 0.75
MIDDLE = 4.0  # the score of a text that tells as much as not

Floats = NDArray[np.float64]
Frequency = Callable[[str], int]  # in how many texts of the space a word stands


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights: how much each thing a text has adds to its score, in log odds.

    The fields name the columns of `measured`.
    """

    rare: float = 1.0  # log of the summed IDF of its rarest words
    days: float = 0.9  # dates, days of the week, "last summer"
    own: float = 0.75  # what the writer did, has or likes
    rule: float = 1.0  # a preference or a standing instruction
    address: float = -0.6  # log of how often the reader is spoken to
    reply: float = -0.3  # opens by answering: "Yeah", "Thanks", "Sounds good"
    pasted: float = -1.0  # share of the text that is code
    graded: float = 0.25  # log odds that it lasts, by a reader, where the lists say nothing


WEIGHTS = Weights()
PARTS = tuple(field.name for field in fields(Weights))
LISTED = slice(PARTS.index("days"), PARTS.index("pasted"))  # the parts that are English words
SUREST = 0.999  # a reader counts as no surer


READER = word_set("you your yours yourself you're you've you'd you'll")
WRITER = word_set("i we")
WRITER_HAS = word_set("i've we've i'd we'd")
BETWEEN = word_set(
    "just also recently finally really actually always never already even once first still only "
    "both usually often"
)
DEEDS = word_set(
    "was were have had went got made took met saw found bought gave ran wrote began did won lost "
    "felt came left read told said thought knew kept built grew taught spent paid sold drove flew "
    "ate drank slept chose heard held led sent set spoke stood swam wore broke caught fell live "
    "work love like hate prefer enjoy own need want"
)
DAYS = (
    frozenset((*ENGLISH_MONTHS, *SHORT_MONTHS, *WEEKDAYS)) - {"may"}  # which mostly is no month
) | word_set("yesterday today tonight tomorrow ago weekend deadline birthday anniversary")
NEAR = word_set("last next past this")
SPANS = word_set("week month year night summer winter spring fall autumn")
RULES = word_set(
    "always never prefer prefers preferred preference preferences favorite favourite whenever must"
)
REPLIES = word_set(
    "yeah yep yup yes no nah nope sure thanks thank thx hm hmm hmmm um uh ok okay wow oh ah haha "
    "aw aww got great that that's sounds alright cool nice definitely absolutely awesome congrats "
    "congratulations totally exactly right agreed good so wait these this let's it it's hey hi "
    "hello glad really true"
)

_FENCE = compile_late(r"```.*?(?:```|\Z)", re.DOTALL)
_YEAR = compile_late(r"(?:19|20)\d\d\Z")
_MAY = compile_late(r"\bMay \d|\d(?:st|nd|rd|th)? (?:of )?May\b")


def score_texts(
    texts: Sequence[str],
    *,
    lasting: ArrayLike = np.nan,
    frequency: Frequency | None = None,
    total: int | None = None,
    weights: Weights = WEIGHTS,
) -> Floats:
    """Returns how much each text tells, between 0 and 1.

    `lasting` is how surely a reader holds each to be worth keeping, NaN where none has read it.
    `frequency` and `total` describe the space the texts come from; without them the texts are all
    of it.
    """
    parts = measure_parts(texts, lasting=lasting, frequency=frequency, total=total)
    return weigh_parts(parts, weights)


def weigh_parts(parts: Floats, weights: Weights = WEIGHTS) -> Floats:
    """Returns what the parts that were measured come to, between 0 and 1."""
    result: Floats = 0.5 * (1 + np.tanh(0.5 * (parts @ np.array(astuple(weights)) - MIDDLE)))
    return result


def measure_parts(
    texts: Sequence[str],
    *,
    lasting: ArrayLike = np.nan,
    frequency: Frequency | None = None,
    total: int | None = None,
) -> Floats:
    """Returns what each text has of each part: a row per text, a column for each of `PARTS`."""
    proses = [prose(text) for text in texts]
    said = [split_words(text) for text in proses]
    telling = [drop_stop_words(one) for one in said]
    rarity = rarities(telling, frequency=frequency, total=total)
    rows = [
        (
            math.log1p(sum(nlargest(RAREST, map(rarity, own)))),
            min(_days(found) + len(_MAY.findall(plain)), ENOUGH) / ENOUGH,
            min(_statements(found), ENOUGH) / ENOUGH,
            not RULES.isdisjoint(found),
            math.log1p(sum(map(READER.__contains__, found))),
            found[:1] != [] and found[0] in REPLIES,
            1 - len(plain) / len(text) if text else 0.0,
            0.0,
        )
        for text, plain, found, own in zip(texts, proses, said, telling, strict=True)
    ]
    parts = np.array(rows, dtype=np.float64).reshape(len(texts), len(PARTS))
    unlisted = ~parts[:, LISTED].any(axis=1)
    parts[:, PARTS.index("graded")] = np.where(unlisted, _find_odds(lasting), 0.0)
    return parts


def _find_odds(shares: ArrayLike) -> Floats:
    """Returns the log odds of shares, and 0 of those that nobody knows."""
    known = np.clip(np.asarray(shares, dtype=np.float64), 1 - SUREST, SUREST)
    return np.nan_to_num(np.log(known / (1 - known)))


def rarities(
    telling: Iterable[frozenset[str]],
    *,
    frequency: Frequency | None = None,
    total: int | None = None,
) -> Callable[[str], float]:
    """The IDF of a word in the space; without its figures, among these texts."""
    if frequency is None or total is None:
        counts: Counter[str] = Counter()
        total = 0
        for own in telling:
            counts.update(own)
            total += 1
        frequency = counts.__getitem__
    # A word of a new text may not be counted yet, and the space may have shrunk since it was
    # counted.
    count, known = frequency, max(total, 1)
    cache: dict[str, float] = {}

    def rarity(word: str) -> float:
        found = cache.get(word)
        if found is None:
            found = cache[word] = max(0.0, math.log(known / max(count(word), 1)))
        return found

    return rarity


def prose(text: str) -> str:
    """The text without what was pasted into it: fenced code, and lines that look like code."""
    if "```" in text:
        text = _FENCE.sub("\n", text)
    if "\n" in text:
        text = "\n".join(line for line in text.split("\n") if _reads_like_prose(line.strip()))
    return text


def _reads_like_prose(line: str) -> bool:
    if not line or line[-1] in "{};" or line[0] in "{}<>#/|*$@)]":
        return False
    return sum(map(str.isalpha, line)) + line.count(" ") >= PROSE * len(line)


def _days(found: Sequence[str]) -> int:
    named = sum(word in DAYS or _YEAR.match(word) is not None for word in found)
    return named + sum(before in NEAR and word in SPANS for before, word in pairwise(found))


def _statements(found: Sequence[str]) -> int:
    """Returns how often the writer says what they did, have or like."""
    count = 0
    for place, word in enumerate(found):
        if word in WRITER_HAS:
            count += 1
        elif word in WRITER:
            verb = next(
                (after for after in found[place + 1 : place + 3] if after not in BETWEEN), ""
            )
            count += verb in DEEDS or verb.endswith("ed")
    return count
