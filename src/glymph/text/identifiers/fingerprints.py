"""One text in one form: what trivial rewording does not change."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal

from glymph.text.numbers import TAIL, possible_values, write_plain
from glymph.text.spans import Span

# "not" loses its apostrophe as people lose it; elsewhere one parts words: Ana's is not Anas.
_NOT = re.compile(r"(?<=n)'(?=t\b)")
_PIECES = re.compile(
    rf"(?<!\w)-?[0-9]{TAIL}(?!\w|[.,][0-9])|[^\W_]+|[^\w\s.,;:!?'\"()\[\]{{}}_*`~"
    r"|\\/\u2014\u2026\u3001\u3002-]"
)


def form(text: str, found: Iterable[Span]) -> str:
    """The text as words, numbers and identifier keys with one space between them."""
    pieces: list[str] = []
    at = 0
    for each in found:
        pieces.extend(_pieces(text[at : each.start]))
        # A code stands as its parts, as it would without its separators.
        apart = each.key.replace("-", " ").casefold()
        pieces.append(apart if each.type == "code" else f"<{each.type} {each.key}>")
        at = each.end
    pieces.extend(_pieces(text[at:]))
    return " ".join(pieces)


def _pieces(text: str) -> Iterable[str]:
    for match in _PIECES.finditer(_NOT.sub("", text.casefold())):
        piece = match[0]
        yield _number(piece) if piece[-1].isdecimal() and not piece[0].isalpha() else piece


def _number(piece: str) -> str:
    sign, digits = ("-", piece[1:]) if piece.startswith("-") else ("", piece)
    if (
        not digits[0].isdecimal()
        or re.fullmatch("0[0-9]+", digits)
        or not re.fullmatch("[0-9 ',.]+", digits)
    ):
        return piece
    value: Decimal = possible_values(digits)[0]
    return sign + write_plain(value)
