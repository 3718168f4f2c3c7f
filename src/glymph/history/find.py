"""Finds old turns: every message stays searchable, however long ago it was summarised."""

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
from glymph.context import Context
from glymph.errors import InvalidInput
from glymph.history.conversation import Conversation
from glymph.history.messages import Call, read_message
from glymph.history.transcript import Line, comparable
from glymph.model import State as MemoryState
from glymph.recall.search import MAX_QUERY_CHARS, search
from glymph.text.quotes import Quotes
from glymph.text.words import UNSPACED_LETTERS, drop_stop_words, pair_characters, split_words, stem

LONGEST_QUERY, MOST_WORDS = 2000, 32
MOST = 100  # hits
AROUND = 300  # characters of a message that a hit shows
LENGTH, USUAL = 0.75, 60  # how much longer messages lose, and how many words are usual: as in BM25
RECENT = 0.1  # more for the newest message than for the oldest
INFLECTED = 0.5  # of what a word counts, where only another form of it is said
SHORTEST_ROOT = 4  # letters that the forms of a word share; a silent e is one of them
# Characters of a run without spaces that is sought as a whole; of a longer one, its pairs.
MOST_PAIRED = 4
MOST_REPEATING = 100  # memories that are looked at

_INFLECTIONS = frozenset(("", "e", "y", "s", "es", "ed", "ing", "ings", "ies", "ied"))
_SILENT = frozenset(("e", "es", "ed", "ing"))  # endings of words that end with a silent e
_VOWEL = re.compile("[aeiouy]")
_ESCAPED = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OldTurn:
    """A message that was found: its number, who said it when, and its text around the words."""

    number: int  # of the message, from 1
    role: str
    text: str
    at: datetime | None
    score: float
    summarised: bool


@dataclass(frozen=True, slots=True)
class _Query:
    """The words sought, with their roots, and runs of characters of scripts without spaces."""

    words: tuple[str, ...]
    roots: tuple[str, ...]  # of the words
    runs: tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The roots and runs of which a text holds at least one if it matches at all."""
        return tuple(dict.fromkeys((*self.roots, *self.runs)))


@dataclass(frozen=True, slots=True)
class _Match:
    """A message with some of what is sought."""

    number: int
    start: int
    # Of each word and each run; below zero where only other forms of a word are said.
    counts: tuple[int, ...]
    length: int


def find(conversation: Conversation, query: str, *, limit: int = 10) -> list[OldTurn]:
    """Returns the messages that say most of what is asked for.

    Rare words count most, newer messages a little more, and other forms of a word less than the
    word itself. The transcript is read once, line by line, and never held as a whole.
    """
    checked_text("query", query, LONGEST_QUERY)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise InvalidInput("limit", f"{limit!r} is not a whole number from 1 to {MOST}.")
    sought = _parse_query(query)
    matches: list[_Match] = []
    total = 0
    for total, line in conversation.transcript.scan(sought.parts):
        if line is not None and (match := _match(sought, total, line)) is not None:
            matches.append(match)
    best = nlargest(limit, _score(matches, total), key=lambda one: (one[0], one[1].number))
    summarised = conversation.load()[0].standing.cursor.count
    pattern = _pattern(sought)
    return [_show(conversation, score, match, pattern, summarised) for score, match in best]


def find_memories_repeating(ctx: Context, text: str) -> list[str]:
    """Returns the ids of memories that repeat a text whole, archived ones included."""
    repeats = Quotes((text,)).whole
    states = (MemoryState.LIVE, MemoryState.ARCHIVED)
    most = min(MOST_REPEATING, ctx.settings.max_page)
    hits = search(ctx, text[:MAX_QUERY_CHARS], limit=most, states=states, include_superseded=True)
    return [hit.memory.id for hit in hits if repeats(hit.memory.text)]


# what is sought


def _parse_query(query: str) -> _Query:
    text = comparable(query)
    plain = split_words(UNSPACED_LETTERS.sub(" ", text))
    chosen = sorted(drop_stop_words(plain) or frozenset(plain))[:MOST_WORDS]
    runs = sorted({piece for run in UNSPACED_LETTERS.findall(text) for piece in _pieces(run)})
    return _Query(tuple(chosen), tuple(map(_root, chosen)), tuple(runs[: MOST_WORDS - len(chosen)]))


def _pieces(run: str) -> list[str]:
    return [run] if len(run) <= MOST_PAIRED else pair_characters(run)


@lru_cache(maxsize=16384)
def _root(word: str) -> str:
    """Returns how all simple forms of a word begin, or the word itself.

    "truck" for "trucks", "mov" for "moved" and "moving".
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


def _match(sought: _Query, number: int, line: Line) -> _Match | None:
    text = comparable(_text(line))
    runs: list[str] = []
    if not text.isascii() and (runs := UNSPACED_LETTERS.findall(text)):
        text = UNSPACED_LETTERS.sub(" ", text)
    found = split_words(text)
    counts = Counter(found)
    said = [
        counts[word] or (-_count_forms(root, counts) if root in text else 0)
        for word, root in zip(sought.words, sought.roots, strict=True)
    ]
    said += [sum(one.count(run) for one in runs) for run in sought.runs]
    if not any(said):
        return None
    return _Match(number, line.start, tuple(said), len(found) + sum(map(len, runs)) // 2)


def _count_forms(root: str, counts: Counter[str]) -> int:
    """Counts the words with this root."""
    return sum(
        count for word, count in counts.items() if word.startswith(root) and _root(word) == root
    )


def _text(line: Line) -> str:
    view = read_message(line.message or {})
    if not (view.results or view.calls):
        return view.text
    return "\n".join(
        (view.text, *(result.text for result in view.results), *map(_call_text, view.calls))
    )


def _call_text(call: Call) -> str:
    """Returns a call in plain characters: in its JSON arguments a word may be escaped."""
    arguments = call.arguments
    if "\\" in arguments:
        with suppress(ValueError, RecursionError):  # no JSON, or only the beginning of it
            arguments = json.dumps(json.loads(arguments), ensure_ascii=False)
        arguments = _ESCAPED.sub(" ", arguments)
    return f"{call.name} {arguments}"


def _score(matches: list[_Match], total: int) -> Iterator[tuple[float, _Match]]:
    """Yields each match with its score, by BM25."""
    by_word = zip(*(match.counts for match in matches), strict=True)
    rarity = [math.log(1 + total / (1 + sum(map(bool, counts)))) for counts in by_word]
    for match in matches:
        weight = 1.2 * (1 - LENGTH + LENGTH * match.length / USUAL)
        score = 0.0
        for rare, count in zip(rarity, match.counts, strict=True):
            if count > 0:
                score += rare * 2.2 * count / (count + weight)
            elif count < 0:
                score += INFLECTED * rare * 2.2 * count / (count - weight)
        yield score * (1 + RECENT * match.number / total), match


# what is shown


def _pattern(sought: _Query) -> re.Pattern[str]:
    """Returns a pattern that finds what is sought in a comparable text."""
    beginnings = (rf"(?<![^\W_]){re.escape(root)}" for root in sought.roots)
    return re.compile("|".join((*beginnings, *map(re.escape, sought.runs))))


def _show(
    conversation: Conversation, score: float, match: _Match, pattern: re.Pattern[str],
    summarised: int,
) -> OldTurn:  # fmt: skip
    line = conversation.transcript.read_at(match.start)
    text = " ".join(_text(line).split())
    first = _find_first(pattern, text)
    start = max(0, first - AROUND // 3) if len(text) > AROUND else 0
    before, after = "…" if start else "", "…" if start + AROUND < len(text) else ""
    shown = f"{before}{text[start : start + AROUND]}{after}"
    role = read_message(line.message or {}).role
    return OldTurn(match.number, role, shown, line.at, score, match.number <= summarised)


def _find_first(pattern: re.Pattern[str], text: str) -> int:
    """Returns where in a text the first of what is sought stands."""
    whole = comparable(text)
    if len(whole) == len(text):
        found = pattern.search(whole)
        return found.start() if found else 0
    at = 0
    for word in text.split(" "):  # offsets differ: they are looked for word by word
        if found := pattern.search(comparable(word)):
            return min(at + found.start(), len(text))
        at += len(word) + 1
    return 0
