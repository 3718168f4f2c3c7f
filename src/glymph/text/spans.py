"""Identifiers and where they stand; families look for theirs in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

BLANK = "\x00"  # stands where an earlier family has found something

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Identifier:
    """Something in a text that names one thing whole.

    It has a type, a canonical key and the place where it stands.
    """

    type: str
    key: str
    start: int
    end: int
    text: str
    others: tuple[Key, ...] = ()  # what else the same characters may mean

    @property
    def readings(self) -> tuple[Key, ...]:
        """Every typed key this may stand for, the likeliest first."""
        return (self.type, self.key), *self.others


class Span(NamedTuple):
    """An identifier as its family sees it: in the flattened text."""

    type: str
    key: str
    start: int
    end: int
    others: tuple[Key, ...] = ()


Family = Callable[[str], Iterable[Span]]


def find_in_turn(text: str, families: Iterable[Family]) -> Iterator[Span]:
    """Returns what the families find, in turn: what one has found is blank for the next."""
    for family in families:
        pieces: list[str] = []
        at = 0
        for found in sorted(family(text), key=_place):
            if found.start < at:
                continue
            yield found
            pieces += (text[at : found.start], BLANK * (found.end - found.start))
            at = found.end
        if pieces:
            text = "".join((*pieces, text[at:]))


def place_span(found: Span, text: str, places: Sequence[int] | None) -> Identifier:
    """Returns what was found in the flattened text as it stands in the text itself."""
    start, end = found.start, found.end
    if places is not None:
        start, end = places[start], places[end] if end < len(places) else len(text)
    written = text[start:end]
    if places is not None:
        end = start + len(written.rstrip())
        written = text[start:end]
    return Identifier(found.type, found.key, start, end, written, found.others)


def _place(found: Span) -> tuple[int, int]:
    return found.start, -found.end
