"""Shortens texts that are too long to be read together, around what they share.

Whole sentences are kept, in their order: those that share words with the other text, rare words
counting more; where none does, those at the beginning. Where each kept sentence stood is known, so
that what is found in the short text can be shown in the long one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from glymph.text.sentences import NOTES, split_with_breaks

LITTLE = 0.1  # of what the best sentence shares: one that shares less is left out
_WORD = re.compile(r"\w+")
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]")

Measure = Callable[[str], int]  # how many tokens a text takes


class Stretch(NamedTuple):
    """A piece of the long text: where it stands there, and where in the short text."""

    short_at: int
    long_at: int
    length: int


class Excerpt(NamedTuple):
    """What is read of a text."""

    text: str
    stretches: tuple[Stretch, ...]

    def place(self, start: int, end: int) -> Iterable[tuple[int, int]]:
        """Yields where a span of the excerpt stands in the long text, a piece at a time."""
        for short_at, long_at, length in self.stretches:
            a, b = max(start, short_at), min(end, short_at + length)
            if a < b:
                yield a - short_at + long_at, b - short_at + long_at


def keep_whole(text: str) -> Excerpt:
    """Returns the text itself as its excerpt."""
    return Excerpt(text, (Stretch(0, 0, len(text)),))


def shorten(text: str, beside: str, room: int, measure: Measure) -> Excerpt:
    """Returns the sentences of a text that matter beside another, within a room of tokens."""
    if measure(text) <= room:
        return keep_whole(text)
    pieces = list(_cut_pieces(text, room, measure))
    shared = count_shared([piece for _, piece in pieces], beside)
    least = LITTLE * max(shared)
    order = sorted(range(len(pieces)), key=lambda at: (-shared[at], at))
    order = [at for at in order if shared[at] >= least]
    chosen: set[int] = set()
    for at in order:
        cost = measure(pieces[at][1])
        if cost <= room:
            chosen.add(at)
            room -= cost
    kept: list[str] = []
    stretches: list[Stretch] = []
    length = 0
    for at in sorted(chosen):
        start, piece = pieces[at]
        stretches.append(Stretch(length, start, len(piece)))
        kept.append(piece)
        length += len(piece) + 1
    return Excerpt(" ".join(kept), tuple(stretches))


def _cut_pieces(text: str, room: int, measure: Measure) -> Iterable[tuple[int, str]]:
    """Yields the sentences with their places; one that is too long itself in smaller pieces."""
    at = 0
    most = max(1, room // 2)
    for number, piece in enumerate(split_with_breaks(text, NOTES)):
        if number % 2 == 0 and piece.strip():
            yield from _cut_smaller(at, piece, most, measure)
        at += len(piece)


def _cut_smaller(at: int, piece: str, most: int, measure: Measure) -> Iterable[tuple[int, str]]:
    if measure(piece) <= most or len(piece) < 2:
        yield at, piece
        return
    middle = len(piece) // 2
    blank = piece.rfind(" ", 0, middle)
    middle = blank + 1 if blank > 0 else middle
    yield from _cut_smaller(at, piece[:middle].rstrip() or piece[:middle], most, measure)
    yield from _cut_smaller(at + middle, piece[middle:], most, measure)


def count_shared(pieces: Sequence[str], beside: str) -> list[float]:
    """Weighs each piece by the words it shares with the other text; frequent ones count less."""
    wanted = set(_list_words(beside))
    words = [set(_list_words(piece)) & wanted for piece in pieces]
    often = Counter(word for several in words for word in several)
    return [sum(1 / often[word] for word in several) for several in words]


def _list_words(text: str) -> Iterable[str]:
    """Lists words by their beginnings; characters and pairs of them where no blanks part words."""
    for word in _WORD.findall(text.casefold()):
        if _DENSE.search(word):
            yield from word
            yield from (word[at : at + 2] for at in range(len(word) - 1))
        else:
            yield word[:5]
