"""Numbers that a state gives to a person, told from others by their check digits or their form."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

_DNI_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CF_ODD = dict(zip(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6,
     8, 12, 14, 16, 10, 22, 25, 24, 23),
    strict=True,
))  # fmt: skip


class Number(NamedTuple):
    """Where a personal number stands in a text."""

    start: int
    end: int


def find_personal_numbers(text: str) -> Iterator[Number]:
    """Yields national identity, tax and insurance numbers of several countries."""
    for pattern, check in _FORMS:
        for found in pattern.finditer(text):
            if check("".join(filter(str.isalnum, found[0])).upper()):
                yield Number(*found.span())


def _is_dni(said: str) -> bool:
    """Spain: eight digits, or X, Y or Z and seven, and a letter that follows from them."""
    digits = said[:-1].translate(str.maketrans("XYZ", "012"))
    return _DNI_LETTERS[int(digits) % 23] == said[-1]


def _is_steuer_id(said: str) -> bool:
    """Germany: eleven digits, the last by ISO 7064, and one of the first ten stands twice."""
    product = 10
    for digit in map(int, said[:10]):
        product = ((digit + product) % 10 or 10) * 2 % 11
    repeated = len(set(said[:10])) in (8, 9)
    return said[0] != "0" and repeated and (11 - product) % 10 == int(said[10])


def _is_nir(said: str) -> bool:
    """France: thirteen digits, the month in its place, and the key to 97."""
    months = {*range(1, 13), *range(20, 43), *range(50, 100)}
    return int(said[3:5]) in months and 97 - int(said[:13]) % 97 == int(said[13:])


def _is_codice_fiscale(said: str) -> bool:
    """Italy: sixteen letters and digits, the last by the weights of the others."""
    even = "0123456789"
    total = sum(_CF_ODD[one] for one in said[:15:2])
    total += sum(even.index(one) if one in even else ord(one) - 65 for one in said[1:15:2])
    return chr(65 + total % 26) == said[15]


def _is_ssn(said: str) -> bool:
    """United States: no group of zeros, and no area that is never given."""
    area = int(said[:3])
    return area not in (0, 666) and area < 900 and int(said[3:5]) > 0 and int(said[5:]) > 0


_EDGE = r"(?<![\w.-])"
_END = r"(?![\w-])"
_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...] = tuple(
    (re.compile(_EDGE + pattern + _END), check)
    for pattern, check in (
        (r"(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]", _is_dni),
        (r"\d{2} ?\d{3} ?\d{3} ?\d{3}", _is_steuer_id),
        (r"[12] ?\d{2} ?\d{2} ?\d{2} ?\d{3} ?\d{3} ?\d{2}", _is_nir),
        (r"[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]", _is_codice_fiscale),
        (r"\d{3}-\d{2}-\d{4}", _is_ssn),
        # United Kingdom: two letters that are given out, or the Q of examples, and six digits.
        (r"[A-CEGHJ-PQR-TW-Z][A-CEGHJ-NPQR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", lambda said: True),
    )
)
