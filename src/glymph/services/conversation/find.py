"""Finding old turns: every message of a transcript stays searchable, however long ago it was summarised."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest

from glymph.core.draft import checked_text
from glymph.core.information import terms, words
from glymph.core.messages import seen
from glymph.errors import InvalidInput
from glymph.services.conversation.sessions import Conversation
from glymph.services.conversation.transcript import Line

LONGEST_QUERY, MOST_WORDS = 2000, 32
MOST = 100  # hits
AROUND = 300  # characters of a message that a hit shows
LENGTH, USUAL = 0.75, 60  # how much longer messages lose, and how many words are usual: as in BM25
RECENT = 0.1  # more for the newest message than for the oldest


@dataclass(frozen=True, slots=True)
class OldTurn:
    """A message that was found: which one it is, who said it when, and what it says around the words."""

    number: int  # of the message, from 1
    role: str
    text: str
    at: datetime | None
    score: float
    summarised: bool


@dataclass(frozen=True, slots=True)
class _Met:
    number: int
    start: int
    counts: tuple[int, ...]  # of each word
    length: int


def find(conversation: Conversation, query: str, *, limit: int = 10) -> list[OldTurn]:
    """The messages that say most of what is asked for, rare words counting most and newer ones a little more.

    The transcript is read once, line by line, and never held as a whole.
    """
    checked_text("query", query, LONGEST_QUERY)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise InvalidInput("limit", f"{limit!r} is not a whole number from 1 to {MOST}.")
    asked = sorted(terms(words(query)) or frozenset(words(query)))[:MOST_WORDS]
    met: list[_Met] = []
    total = 0
    for total, line in conversation.transcript.holding(asked):
        if line is None:
            continue
        found = words(_text(line))
        counts = Counter(found)
        if any(word in counts for word in asked):
            met.append(_Met(total, line.start, tuple(counts[word] for word in asked), len(found)))
    best = nlargest(limit, _scored(met, total), key=lambda one: (one[0], one[1].number))
    known, _ = conversation.load()
    return [_told(conversation, score, one, asked, known.standing.cursor.count) for score, one in best]


def _text(line: Line) -> str:
    view = seen(line.message or {})
    return "\n".join((view.text, *(result.text for result in view.results)))


def _scored(met: list[_Met], total: int) -> Iterator[tuple[float, _Met]]:
    holding = [sum(one.counts[word] > 0 for one in met) for word in range(len(met[0].counts))] if met else []
    rarity = [math.log(1 + total / (1 + count)) for count in holding]
    for one in met:
        weight = 1.2 * (1 - LENGTH + LENGTH * one.length / USUAL)
        told = sum(rare * 2.2 * count / (count + weight) for rare, count in zip(rarity, one.counts, strict=True))
        yield told * (1 + RECENT * one.number / total), one


def _told(conversation: Conversation, score: float, one: _Met, asked: list[str], summarised: int) -> OldTurn:
    line = conversation.transcript.at(one.start)
    text = " ".join(_text(line).split())
    low = text.lower()
    first = min((at for word in asked if (at := low.find(word)) >= 0), default=0)
    start = max(0, first - AROUND // 3) if len(text) > AROUND else 0
    shown = ("…" if start else "") + text[start : start + AROUND] + ("…" if start + AROUND < len(text) else "")
    role = seen(line.message or {}).role
    return OldTurn(one.number, role, shown, line.at, score, one.number <= summarised)
