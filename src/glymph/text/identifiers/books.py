"""Numbers of books and journals: ISBN of ten and of thirteen digits, ISSN."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.spans import Span

_ISBN = re.compile(
    r"(?<!\w)(?P<label>ISBN(?:[ -]?1[03])?(?: ?(?:no|nr|number)\.?)?:? ?)?"
    r"(?P<number>(?:97[89][ -]?)?[0-9](?:[ -]?[0-9]){8}[ -]?[0-9Xx])(?![\w]|-\w)",
    re.IGNORECASE,
)
_ISSN = re.compile(
    r"(?<!\w)ISSN(?: ?(?:no|nr|number)\.?)?:? ?([0-9]{4}[ -]?[0-9]{3}[0-9Xx])(?![\w]|-\w)",
    re.IGNORECASE,
)


def books(text: str) -> Iterator[Span]:
    """Finds numbers of books and journals; an ISBN of ten digits has the key of its thirteen.

    Without the word ISBN a number must begin like one and its check digit must hold.
    """
    for match in _ISSN.finditer(text):
        yield Span("issn", compact(match[1]), *match.span(1))
    for match in _ISBN.finditer(text):
        number = compact(match["number"])
        if not match["label"] and not (len(number) == 13 and is_isbn(number)):
            continue
        yield Span("isbn", _whole(number), *match.span("number"))


def other_isbn(number: str) -> str:
    """Returns the ISBN of ten digits for one of thirteen; empty if there is none."""
    if not is_isbn(number) or not number.startswith("978"):
        return ""
    return number[3:12] + _check_of_ten(number[3:12])


def is_isbn(number: str) -> bool:
    """Returns whether the check digit of an ISBN holds."""
    if len(number) == 13 and number.isdecimal():
        return number[-1] == _check_of_thirteen(number[:12])
    if len(number) == 10 and number[:9].isdecimal():
        return number[-1] == _check_of_ten(number[:9])
    return False


def compact(written: str) -> str:
    """Returns a number without what parts its groups."""
    return re.sub("[^0-9X]", "", written.upper())


def _whole(number: str) -> str:
    if len(number) == 10 and is_isbn(number):
        core = "978" + number[:9]
        return core + _check_of_thirteen(core)
    return number


def _check_of_ten(core: str) -> str:
    rest = -sum(int(digit) * (10 - at) for at, digit in enumerate(core)) % 11
    return "X" if rest == 10 else str(rest)


def _check_of_thirteen(core: str) -> str:
    return str(-sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(core)) % 10)
