"""Finding old turns: every message of a transcript stays searchable, however long ago it was
summarised.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from heapq import nlargest

from glymph.checks import checked_text
from glymph.errors import InvalidInput
from glymph.history.messages import Call, seen
from glymph.history.sessions import Conversation
from glymph.history.transcript import Line, comparable
from glymph.text.words import UNSPACED_LETTERS, drop_stop_words, pair_characters, split_words, stem

LONGEST_QUERY, MOST_WORDS = 2000, 32
MOST = 100  # hits
AROUND = 300  # characters of a message that a hit shows
LENGTH, USUAL = 0.75, 60  # how much longer messages lose, and how many words are usual: as in BM25
RECENT = 0.1  # more for the newest message than for the oldest
INFLECTED = 0.5  # of what a word counts, where only another form of it is said
SHORTEST_ROOT = 4  # letters that the forms of a word share; a silent e is one of them
MOST_PAIRED = (
    4  # characters of a run without spaces that is sought as a whole; of a longer one, its pairs
)

_INFLECTIONS = frozenset(("", "e", "y", "s", "es", "ed", "ing", "ings", "ies", "ied"))
_SILENT = frozenset(("e", "es", "ed", "ing"))  # endings of words that end with a silent e
_VOWEL = re.compile("[aeiouy]")
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OldTurn:
    """A message that was found: which one it is, who said it when, and what it says around the
    words.
    """

    number: int  # of the message, from 1
    role: str
    text: str
    at: datetime | None
    score: float
    summarised: bool


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is sought: words with their roots, and runs of characters where scripts have no spaces."""

    words: tuple[str, ...]
    roots: tuple[str, ...]  # of the words
    runs: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """What a text surely holds, one of these, if it says anything of what is sought."""
        return tuple(dict.fromkeys((*self.roots, *self.runs)))


@dataclass(frozen=True, slots=True)
class _Met:
    number: int
    start: int
    counts: tuple[
        int, ...
    ]  # of each word and each run; below zero where only other forms of a word are said
    length: int


def find(conversation: Conversation, query: str, *, limit: int = 10) -> list[OldTurn]:
    """The messages that say most of what is asked for, rare words counting most and newer ones a
    little more.

    Other forms of a word count less than the word itself. The transcript is read once, line by
    line, and never held as a whole.
    """
    checked_text("query", query, LONGEST_QUERY)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise InvalidInput("limit", f"{limit!r} is not a whole number from 1 to {MOST}.")
    asked = _asked(query)
    met: list[_Met] = []
    total = 0
    for total, line in conversation.transcript.holding(asked.parts):
        if line is not None and (one := _met(asked, total, line)) is not None:
            met.append(one)
    best = nlargest(limit, _scored(met, total), key=lambda one: (one[0], one[1].number))
    known, _ = conversation.load()
    shown = _places(asked)
    return [
        _told(conversation, score, one, shown, known.standing.cursor.count) for score, one in best
    ]


# what is sought


def _asked(query: str) -> _Asked:
    text = comparable(query)
    plain = split_words(UNSPACED_LETTERS.sub(" ", text))
    chosen = sorted(drop_stop_words(plain) or frozenset(plain))[:MOST_WORDS]
    runs = sorted({piece for run in UNSPACED_LETTERS.findall(text) for piece in _pieces(run)})
    return _Asked(tuple(chosen), tuple(map(_root, chosen)), tuple(runs[: MOST_WORDS - len(chosen)]))


def _pieces(run: str) -> list[str]:
    return [run] if len(run) <= MOST_PAIRED else pair_characters(run)


@lru_cache(maxsize=16384)
def _root(word: str) -> str:
    """How all simple forms of a word begin, or the word: "truck" of "trucks", "mov" of "moved" and
    "moving".
    """
    word = word.removesuffix("'s")
    root = stem(word)
    ending = word[len(root) :]
    if ending[:1] == root[-1:] and ending[1:] in ("ed", "ing", "ings"):
        ending = ending[1:]  # "planned", "planning"
    silent = ending in _SILENT and _VOWEL.search(root) is not None
    enough = len(root) + silent >= SHORTEST_ROOT
    return root if enough and word.startswith(root) and ending in _INFLECTIONS else word


# what a message says


def _met(asked: _Asked, number: int, line: Line) -> _Met | None:
    text = comparable(_text(line))
    runs: list[str] = []
    if not text.isascii() and (runs := UNSPACED_LETTERS.findall(text)):
        text = UNSPACED_LETTERS.sub(" ", text)
    found = split_words(text)
    counts = Counter(found)
    said = [
        counts[word] or (-_inflected(root, counts) if root in text else 0)
        for word, root in zip(asked.words, asked.roots, strict=True)
    ]
    said += [sum(one.count(run) for one in runs) for run in asked.runs]
    return (
        _Met(number, line.start, tuple(said), len(found) + sum(map(len, runs)) // 2)
        if any(said)
        else None
    )


def _inflected(root: str, counts: Counter[str]) -> int:
    """How often words with this root are said."""
    return sum(
        count for word, count in counts.items() if word.startswith(root) and _root(word) == root
    )


def _text(line: Line) -> str:
    view = seen(line.message or {})
    if not (view.results or view.calls):
        return view.text
    return "\n".join(
        (view.text, *(result.text for result in view.results), *map(_called, view.calls))
    )


def _called(call: Call) -> str:
    """A call in plain characters: its arguments are JSON, in which a word may be escaped."""
    arguments = call.arguments
    if "\\" in arguments:
        with suppress(ValueError, RecursionError):  # no JSON, or only the beginning of it
            arguments = json.dumps(json.loads(arguments), ensure_ascii=False)
        arguments = _ESCAPED.sub(" ", arguments)
    return f"{call.name} {arguments}"


def _scored(met: list[_Met], total: int) -> Iterator[tuple[float, _Met]]:
    holding = (
        [sum(one.counts[word] != 0 for one in met) for word in range(len(met[0].counts))]
        if met
        else []
    )
    rarity = [math.log(1 + total / (1 + count)) for count in holding]
    for one in met:
        weight = 1.2 * (1 - LENGTH + LENGTH * one.length / USUAL)
        told = 0.0
        for rare, count in zip(rarity, one.counts, strict=True):
            if count > 0:
                told += rare * 2.2 * count / (count + weight)
            elif count < 0:
                told += INFLECTED * rare * 2.2 * count / (count - weight)
        yield told * (1 + RECENT * one.number / total), one


# what is shown


def _places(asked: _Asked) -> re.Pattern[str]:
    """Finds what is sought in a text that is comparable."""
    begun = (rf"(?<![^\W_]){re.escape(root)}" for root in asked.roots)
    return re.compile("|".join((*begun, *map(re.escape, asked.runs))))


def _told(
    conversation: Conversation, score: float, one: _Met, sought: re.Pattern[str], summarised: int
) -> OldTurn:
    line = conversation.transcript.at(one.start)
    text = " ".join(_text(line).split())
    first = _first(sought, text)
    start = max(0, first - AROUND // 3) if len(text) > AROUND else 0
    shown = (
        ("…" if start else "")
        + text[start : start + AROUND]
        + ("…" if start + AROUND < len(text) else "")
    )
    role = seen(line.message or {}).role
    return OldTurn(one.number, role, shown, line.at, score, one.number <= summarised)


def _first(sought: re.Pattern[str], text: str) -> int:
    """Where in a text the first of what is sought stands."""
    whole = comparable(text)
    if len(whole) == len(text):
        found = sought.search(whole)
        return found.start() if found else 0
    at = 0
    for word in text.split(" "):  # places differ: they are looked for word by word
        if found := sought.search(comparable(word)):
            return min(at + found.start(), len(text))
        at += len(word) + 1
    return 0
