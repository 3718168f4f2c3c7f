"""The spellings under which a text index may hold what a request names.

They are phrases and groups of digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from glymph.forget.request import Request
from glymph.text.dates import MONTHS_WRITTEN as _MONTHS
from glymph.text.identifiers import Identifier
from glymph.text.scripts import flat, fold, transliterate
from glymph.text.words import RUN

MOST_FORMS = 400
MOST_SPLIT = 11  # digits that are parted in every way; a card or an IBAN has groups of one size
_EDGE = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")
_CYRILLIC = {
    "shch": "щ", "sh": "ш", "ch": "ч", "zh": "ж", "kh": "х", "ts": "ц", "ya": "я", "yu": "ю",
    "yo": "ё", "ye": "е", "a": "а", "b": "б", "c": "к", "d": "д", "e": "е", "f": "ф", "g": "г",
    "h": "х", "i": "и", "j": "й", "k": "к", "l": "л", "m": "м", "n": "н", "o": "о", "p": "п",
    "q": "к", "r": "р", "s": "с", "t": "т", "u": "у", "v": "в", "w": "в", "x": "кс", "y": "й",
    "z": "з",
}  # fmt: skip


def forms(request: Request) -> tuple[str, ...]:
    """Returns phrases of which a text that is meant has at least one.

    They are those that can be told without reading the text.
    """
    found: dict[str, None] = {}
    for each in request.identifiers:
        found |= dict.fromkeys(_of_identifier(each))
    found |= dict.fromkeys(request.figures)
    if found:
        return tuple(found)[:MOST_FORMS]
    for run in request.names:
        found |= dict.fromkeys(form for name in run for form in of_name(name))
    found |= dict.fromkeys(request.words)
    return tuple(found)[:MOST_FORMS]


def of_name(name: str) -> Iterator[str]:
    """A name in the spellings of other scripts and habits."""
    yield name
    if not name.isascii():
        yield transliterate(name)
        yield fold(name)
    for long, short in (("ae", "ä"), ("oe", "ö"), ("ue", "ü")):
        if long in name.lower():
            yield name.lower().replace(long, short)
        if short in name.lower():
            yield name.lower().replace(short, long)
    if len(name) > 3 and name.endswith("s"):
        yield name[:-1]
    if name.isascii() and name.isalpha():
        low = name.lower()
        for latin, other in _CYRILLIC.items():
            low = low.replace(latin, other)
        yield low
        yield re.sub("й$", "ий", low)


def _of_identifier(each: Identifier) -> Iterator[str]:
    plain = flat(each.text)[0]
    parts = RUN.findall(plain)
    yield " ".join(parts)
    if each.type == "date":
        yield from _of_date(each)
        return
    if each.type == "time":
        yield from _of_time(each.key)
        return
    yield "".join(parts)
    cut = _EDGE.sub(" ", " ".join(parts))
    yield cut
    if each.type == "code":
        yield from _of_code(cut.split())
    digits = "".join(char for char in plain if char.isdigit())
    if len(digits) > 4 and each.type in ("phone", "code", "card", "iban"):
        head = "" if each.type != "iban" else "".join(parts)[:2]
        # A number without its country's code is a part of every writing with it.
        shorter = [key for _, key in each.others if key.isdigit() and len(key) < len(digits)]
        yield digits
        yield from (key.lstrip("+") for _, key in each.others)
        yield from (head + form for form in _group_digits(min([digits, *shorter], key=len)))


def _of_code(parts: list[str]) -> Iterator[str]:
    for zeros in (parts, [part.lstrip("0") or "0" if part.isdigit() else part for part in parts]):
        yield " ".join(zeros)
        yield "".join(zeros)
        for at in range(1, len(zeros)):
            yield "".join(zeros[:at]) + " " + "".join(zeros[at:])
    if len(parts) > 1 and parts[-1].isdigit():
        yield parts[-1]


def _group_digits(digits: str) -> Iterator[str]:
    """Yields the digits in every grouping that people write.

    Long numbers are split into groups of one size, others in all ways.
    """
    yield digits
    if len(digits) > MOST_SPLIT:
        for size in (2, 3, 4):
            for first in range(1, size + 1):
                cuts = [0, *range(first, len(digits), size), len(digits)]
                yield " ".join(digits[a:b] for a, b in pairwise(cuts))
        return
    for first in range(1, 6):
        for rest in _split(digits[first:]):
            yield f"{digits[:first]} {rest}"


def _split(digits: str) -> Iterator[str]:
    """Every way to part digits into groups of two to four; the last may have five."""
    if 2 <= len(digits) <= 5:
        yield digits
    for size in (2, 3, 4):
        if len(digits) - size >= 2:
            yield from (f"{digits[:size]} {rest}" for rest in _split(digits[size:]))


def _of_date(each: Identifier) -> Iterator[str]:
    for _, key in each.readings:
        match = re.fullmatch(r"(\d{4}|-)-(\d\d)-(\d\d)", key)
        if match is None:
            continue
        year, month, day = match[1].strip("-"), int(match[2]), int(match[3])
        for name in _MONTHS[month]:
            yield f"{day} {name}"
            yield f"{name} {day}"
            yield f"{day} de {name}"
        for suffix in ("st", "nd", "rd", "th"):
            yield f"{_MONTHS[month][0]} {day}{suffix}"
            yield f"{day}{suffix} {_MONTHS[month][0]}"
        for d in {str(day), f"{day:02}"}:
            for m in {str(month), f"{month:02}"}:
                yield f"{d} {m} {year}".strip()
                yield f"{m} {d} {year}".strip()
                yield f"{year} {m} {d}".strip()
                yield f"{d} {m} {year[2:]}".strip()


def _of_time(key: str) -> Iterator[str]:
    hours, _, minutes = key.partition(":")
    hour = int(hours)
    yield f"{hour} {minutes}"
    yield f"{hour:02} {minutes}"
    half = "am" if hour < 12 else "pm"
    yield f"{hour % 12 or 12} {half}"
    yield f"{hour % 12 or 12}{half}"
    yield f"{hour % 12 or 12} {minutes} {half}"
    yield f"{hour} uhr"
    yield f"{hour}h"
