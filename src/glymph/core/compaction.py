"""What a stretch of conversation comes to without a model: the sentences that tell most, as they were said.

A sentence is worth what it tells by itself and what the message around it tells (rare words, names, numbers, days,
what the writer did, rules); statements to remember, decisions and corrections are worth more, questions, what is
said elsewhere and an agent's own words less. Long sentences pay for their length. Nothing is made up: every point
is somebody's words, and says whose and when.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from glymph.core.information import scored, terms, words
from glymph.core.junk import FILLER, without_shown
from glymph.core.masking import masked
from glymph.core.noteworthy import noteworthy
from glymph.core.orders import order
from glymph.core.text import normalise
from glymph.core.tokens import tokens
from glymph.core.worth import redundancy

AROUND = 0.5  # of a sentence's worth is that of the message it stands in
LENGTH = 0.33  # power of its length by which worth is divided
FRAME = 2  # tokens that a point takes besides its words
NOTED = 0.3  # more for what rules hold to be lasting
CORRECTED = 0.2  # more for what replaces something said before
ASKED = 0.5  # of its worth is left to a question
AGENT = 0.8  # and to the words of an agent, which the user's facts come before
RECENT = 0.05  # more for the newest than for the oldest
NEAR = 6  # messages between two points that still belong together
GROUP_WORDS = 60  # of points that make one memory
LONGEST = 600  # characters of a sentence; a longer one is no sentence but a list or a log
MOST_SENTENCES = 20_000  # that are weighed at once

TELLING = 2  # words that a sentence needs
DENSE = 0x2E80  # from this code point on, scripts need no spaces between words

_EMPTY = frozenset("then so that's it's i'm let's oh too really much see got know think like thing things".split())
_END = re.compile(r"(?<=[.!?…。！？])[\"')\]]*\s+(?=[\"'(\[]?[^\W_])|\n+|(?<=[。！？])")
_SHORT = re.compile(
    r"(?:\b(?:[A-Za-z]|[Dd]r|[Mm]rs?|[Mm]s|[Pp]rof|[Ss]t|[Nn]o|vs|etc|e\.g|i\.e|approx|Inc|Ltd)\.)\Z"
)
_FENCE = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)
_CODE = re.compile(r"[{};]\s*\Z|\A\s*(?:[|$#@<>/]|at \S+\(|\d+[:|])|=>|::|\w\(\)")
_LEAD = re.compile(
    r"\A(?:(?:yeah|yep|yup|yes|no|nah|wow|oh|ah|aww?|hey|hi|hello|haha|ok|okay|sure|thanks(?: \w+)?|thank you|well"
    r"|so|great|cool|nice|awesome|absolutely|definitely|totally|exactly|right|hmm+|um|uh)\s*[,!.…]+\s*)+(?=\w)",
    re.IGNORECASE,
)  # only before a mark: "No longer" is no interjection
_CORRECTION = re.compile(
    r"\b(?:actually|correction|i was wrong|my mistake|no longer|not \w+ anymore|any ?more|instead of|rather than|"
    r"changed (?:my|our) mind|turns out|scratch that|i mean[t]?|used to|from now on)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Said:
    """What one side said at once. `agent` marks the words of a machine."""

    speaker: str
    text: str
    at: datetime | None = None
    agent: bool = False


@dataclass(frozen=True, slots=True)
class Point:
    """What is kept of one message: its best sentences, in their order."""

    text: str
    speaker: str
    at: datetime | None
    place: int  # of the message
    worth: float

    @property
    def line(self) -> str:
        """The point with who said it and on which day, as memory.md shows it."""
        day = f"{self.at:%Y-%m-%d} " if self.at is not None else ""
        return f"- {day}{self.speaker}: {self.text}"

    @property
    def tokens(self) -> int:
        return tokens(self.text) + FRAME


@dataclass(slots=True)
class _Sentence:
    text: str
    place: int
    number: int
    worth: float = 0.0


def points(said: Sequence[Said], budget: int) -> list[Point]:
    """What tells most, within a budget of tokens, in the order in which it was said. Secrets are masked."""
    sentences = _sentences(said)
    if not sentences or budget <= 0:
        return []
    _weigh(sentences, said)
    chosen: list[_Sentence] = []
    begun: set[int] = set()
    left = budget
    for sentence in sorted(sentences, key=lambda one: (-one.worth, -one.place, one.number)):
        cost = tokens(sentence.text) + (1 if sentence.place in begun else FRAME)
        if sentence.worth > 0 and cost <= left:
            left -= cost
            begun.add(sentence.place)
            chosen.append(sentence)
    return _joined(chosen, said)


def best(found: Iterable[Point], *, most: int) -> list[Point]:
    """The points worth most that fit into so many words with their frames, in their order."""
    kept: list[Point] = []
    for point in sorted(found, key=lambda one: (-one.worth, -one.place)):
        length = len(point.line.split())
        if length <= most:
            most -= length
            kept.append(point)
    return sorted(kept, key=lambda one: one.place)


def groups(found: Sequence[Point]) -> list[list[Point]]:
    """Points that were said near each other on one day, together: as many as are still one thing to remember."""
    together: list[list[Point]] = []
    length = 0
    for point in found:
        own = len(point.text.split())
        near = together and point.place - together[-1][-1].place <= NEAR and _day(point) == _day(together[-1][-1])
        if near and length + own <= GROUP_WORDS:
            together[-1].append(point)
            length += own
        else:
            together.append([point])
            length = own
    return together


def _day(point: Point) -> date | None:
    return None if point.at is None else point.at.date()


def best_lines(lines: Sequence[str], *, most: int) -> list[str]:
    """The lines that tell most within so many words, in their order: newer ones and those not said twice first."""
    told = [_said_in(line) for line in lines]
    weights = scored(told) - redundancy(told) + RECENT * np.arange(len(lines)) / max(1, len(lines))
    kept: list[int] = []
    for place in sorted(range(len(lines)), key=lambda at: (-weights[at], -at)):
        length = len(lines[place].split())
        if length <= most:
            most -= length
            kept.append(place)
    return [lines[place] for place in sorted(kept)]


# weighing


def _sentences(said: Sequence[Said]) -> list[_Sentence]:
    """The sentences of all messages, the newest first if there are too many; none that steers the agent."""
    found: list[_Sentence] = []
    known: set[tuple[str, str]] = set()
    for place in range(len(said) - 1, -1, -1):
        text, _ = masked(without_shown(said[place].text))
        if order(text) is not None:
            continue
        for number, sentence in enumerate(split(text)):
            key = (said[place].speaker, normalise(sentence))
            if key not in known and _tells(sentence):
                known.add(key)
                found.append(_Sentence(sentence, place, number))
        if len(found) >= MOST_SENTENCES:
            break
    return found[::-1]


def _tells(sentence: str) -> bool:
    """Whether a sentence has words of its own to tell something with: "Okay then." has none."""
    telling = terms(words(sentence)) - FILLER - _EMPTY
    return len(telling) >= TELLING or any(c.isdigit() or ord(c) >= DENSE for c in sentence)


def split(text: str) -> list[str]:
    """The sentences of a text without code, bare interjections in front of them left out."""
    pieces: list[str] = []
    for piece in _pieces(_FENCE.sub("\n", text)):
        flat = " ".join(piece.split())
        if len(flat) <= LONGEST and not _CODE.search(flat):
            pieces.append(_LEAD.sub("", flat))
    return [_capital(piece) for piece in pieces if any(map(str.isalnum, piece))]


def _pieces(text: str) -> list[str]:
    """The text cut behind its sentences; an abbreviation does not end one."""
    pieces: list[str] = []
    for piece in _END.split(text):
        if piece is None or not piece.strip():
            continue
        if pieces and _SHORT.search(pieces[-1]):
            pieces[-1] += f" {piece}"
        else:
            pieces.append(piece)
    return pieces


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _weigh(sentences: Sequence[_Sentence], said: Sequence[Said]) -> None:
    """Gives every sentence its worth."""
    texts = [sentence.text for sentence in sentences]
    owners = [said[sentence.place].speaker for sentence in sentences]
    places = sorted({sentence.place for sentence in sentences})
    whole = dict(zip(places, scored([said[place].text for place in places]).tolist(), strict=True))
    alone = scored(texts)
    again: NDArray[np.float64] = redundancy(texts, owners)
    lasting = _lasting(said, places)
    for at, sentence in enumerate(sentences):
        one = said[sentence.place]
        told = AROUND * whole[sentence.place] + (1 - AROUND) * float(alone[at])
        told += NOTED * ((sentence.place, normalise(sentence.text)) in lasting) + CORRECTED * bool(
            _CORRECTION.search(sentence.text)
        )
        told += RECENT * sentence.place / len(said)
        told *= (ASKED if sentence.text.rstrip("\"')").endswith("?") else 1) * (AGENT if one.agent else 1)
        told *= 1 - float(again[at])
        sentence.worth = told / (tokens(sentence.text) + FRAME) ** LENGTH


def _lasting(said: Sequence[Said], places: Iterable[int]) -> frozenset[tuple[int, str]]:
    """The sentences that rules hold to be lasting, of people's words."""
    return frozenset(
        (place, normalise(found.text))
        for place in places
        if not said[place].agent
        for found in noteworthy(said[place].text)
    )


def _joined(chosen: Iterable[_Sentence], said: Sequence[Said]) -> list[Point]:
    by_place: dict[int, list[_Sentence]] = {}
    for sentence in sorted(chosen, key=lambda one: (one.place, one.number)):
        by_place.setdefault(sentence.place, []).append(sentence)
    return [
        Point(
            " ".join(one.text for one in own), said[place].speaker, said[place].at, place,
            max(one.worth for one in own),
        )
        for place, own in by_place.items()
    ]  # fmt: skip


def _said_in(line: str) -> str:
    """What a line of memory.md tells, without its dash and day."""
    return re.sub(r"\A\s*[-*]\s*(?:\d{4}-\d\d-\d\d )?", "", line)
