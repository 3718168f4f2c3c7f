"""Identifiers that a request spells so freely that only a memory tells them to be one.

"Passport number X 1048 8823" may be anything, until a memory holds the passport number X10488823.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from glymph.forget.request import WEAK, Request, read_request
from glymph.text.identifiers import Identifier
from glymph.text.identifiers.spellings import compact
from glymph.text.words import RUN

FEWEST = 6  # letters and digits of an identifier that is known in whatever groups
FEWEST_DIGITS = 4  # of a number in groups; of a code with letters one is enough
WIDEST_GAP = 3  # characters between two groups
MOST_GROUPS, MOST_JOINED = 6, 60  # of one spelling; spellings of one request
GAPS = frozenset(" ./_:()·-\u00a0")
_FILLED = re.compile(r"^([^\W\d_]+)0+(?=[0-9])")
_SPELT_ELSEWHERE = WEAK | {"mail", "url", "path", "handle", "name"}


def recognise(asked: Request, known: Iterable[Identifier]) -> Request:
    """Returns the request with the identifiers of memories that it spells in other groups.

    What it names already stays: a longer number is never taken for one that it holds.
    """
    found: list[Identifier] = []
    spelling = _Letters(asked.text)
    named = {compact(each.text) for each in asked.identifiers}
    keys = {key: each for each in known for key in _list_keys(each)}
    for key, each in keys.items():
        if not named.isdisjoint(_list_keys(each)):
            continue
        found += [
            replace(each, start=start, end=end, text=asked.text[start:end])
            for start, end in spelling.find(key)
            if not _is_within(start, end, asked.identifiers)
        ]
    found = [one for one in found if not _is_within(one.start, one.end, found)]
    return read_request(asked.text, known=found) if found else asked


def _list_keys(each: Identifier) -> tuple[str, ...]:
    """Returns an identifier without its signs, and without the zeros that fill it up as well."""
    if each.type in _SPELT_ELSEWHERE:
        return ()
    key = compact(each.text)
    keys = dict.fromkeys((key, _FILLED.sub(r"\1", key)))
    return tuple(one for one in keys if _has_enough(one))


def _has_enough(key: str) -> bool:
    digits = _count_digits(key)
    return len(key) >= FEWEST and digits > 0 and (digits >= FEWEST_DIGITS or digits < len(key))


def _count_digits(key: str) -> int:
    return sum(sign.isdecimal() for sign in key)


def _is_within(start: int, end: int, others: Iterable[Identifier]) -> bool:
    """Tells whether a place is a smaller part of what one of the others takes."""
    return any(
        one.start <= start and end <= one.end and end - start < one.end - one.start
        for one in others
    )


def list_joined(text: str) -> tuple[str, ...]:
    """Returns what the groups of a text come to if they are written together: words of an index."""
    words = list(RUN.finditer(text))
    found: dict[str, None] = {}
    for first in range(len(words)):
        key = ""
        for last in range(first, min(len(words), first + MOST_GROUPS)):
            gap = text[words[last - 1].end() : words[last].start()] if last > first else ""
            if len(gap) > WIDEST_GAP or not GAPS.issuperset(gap):
                break
            key += words[last][0].lower()
            if last > first and len(key) >= FEWEST and _count_digits(key) >= FEWEST_DIGITS:
                found[key] = None
    return tuple(found)[:MOST_JOINED]


class _Letters:
    """The letters and digits of a text, with where each of them stands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._places = [at for at, sign in enumerate(text) if sign.isalnum()]
        self._plain = "".join(text[at].lower()[:1] for at in self._places)

    def find(self, key: str) -> Iterator[tuple[int, int]]:
        """Finds where a text spells a key whole, in groups of its own."""
        at = self._plain.find(key)
        while at >= 0:
            places = self._places[at : at + len(key)]
            start, end = places[0], places[-1] + 1
            if self._is_apart(at, at + len(key)) and self._are_gaps(places):
                yield start, end
            at = self._plain.find(key, at + 1)

    def _is_apart(self, first: int, behind: int) -> bool:
        """Tells whether no letter stands beside it, and no further group of digits."""
        start, end = self._places[first], self._places[behind - 1] + 1
        before = self._places[first - 1] if first else None
        after = self._places[behind] if behind < len(self._places) else None
        return not (
            (before is not None and self._goes_on(before, before + 1, start))
            or (after is not None and self._goes_on(after, end, after))
        )

    def _goes_on(self, sign: int, gap_start: int, gap_end: int) -> bool:
        gap = self._text[gap_start:gap_end]
        joined = len(gap) <= WIDEST_GAP and GAPS.issuperset(gap)
        return not gap or (joined and self._text[sign].isdecimal())

    def _are_gaps(self, places: list[int]) -> bool:
        pairs = pairwise(places)
        gaps = (self._text[one + 1 : two] for one, two in pairs)
        return all(len(gap) <= WIDEST_GAP and GAPS.issuperset(gap) for gap in gaps)
