"""The spellings under which a text index may hold what a request names.

They are phrases and groups of digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product, zip_longest

from glymph.forget.names import sounds
from glymph.forget.request import Request
from glymph.text.dates import MONTHS_WRITTEN as _MONTHS
from glymph.text.identifiers import Identifier
from glymph.text.identifiers.aloud import say_digits
from glymph.text.identifiers.books import other_isbn
from glymph.text.identifiers.escapes import AT_APART, AT_GLUED, SIGNS_GLUED
from glymph.text.identifiers.mail_spelling import AT_WORDS, DOT_WORDS, SIGN_WORDS
from glymph.text.identifiers.phones import countries_of, other_nationals, read_foreign, read_number
from glymph.text.identifiers.shortened import CUT, FEWEST_SHOWN, LONG, SHORTEST_HEAD
from glymph.text.identifiers.spellings import SHORTEST_NUMBER, find_number
from glymph.text.scripts import flat, fold, transliterate
from glymph.text.words import RUN, UNSPACED_OR_HANGUL

MOST_FORMS = 400
MOST_PARTS = 6  # of a code that are joined and parted in every way
ENOUGH_DIGITS = 5  # of the end of a number by which the index is asked
LONGEST_GROUP = 8  # digits of a group with others behind it
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
    # In turn, so that no identifier is left out where there are too many spellings.
    for row in zip_longest(*(of_identifier(each) for each in request.identifiers)):
        found |= dict.fromkeys(form for form in row if form)
    found |= dict.fromkeys(request.figures)
    if found:
        return _drop_covered(tuple(found)[:MOST_FORMS])
    for run in request.names:
        found |= dict.fromkeys(form for name in run for form in of_name(name))
    found |= dict.fromkeys(request.words)
    return tuple(found)[:MOST_FORMS]


def _drop_covered(phrases: Sequence[str]) -> tuple[str, ...]:
    """Leaves out phrases that hold a word which is asked for by itself."""
    alone = {phrase for phrase in phrases if " " not in phrase}
    return tuple(one for one in phrases if one in alone or alone.isdisjoint(one.split()))


def of_name(name: str) -> Iterator[str]:
    """A name in the spellings of other scripts and habits."""
    yield name
    if 2 <= len(name) <= 4 and UNSPACED_OR_HANGUL.search(name):
        for family, given in sorted(sounds(name)):
            yield f"{family} {given}"
            yield f"{given} {family}"
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


def of_identifier(each: Identifier) -> Iterator[str]:
    """Yields the phrases of which a text with the identifier has at least one.

    Not so for a key in short, or the last digits of a number: an index does not tell what longer
    words begin or end in.
    """
    yield " ".join(RUN.findall(flat(each.text)[0]))
    yield " ".join(RUN.findall(each.key))
    if each.type == "date":
        yield from _of_date(each)
    elif each.type == "time":
        yield from _of_time(each.key)
    elif each.type == "mail":
        yield from _of_mail(each.key)
    elif each.type == "url":
        yield from _of_host(each.key)
    elif each.type == "phone":
        yield from _of_phone(each.key)
    elif each.type in ("hash", "uuid"):
        yield from _of_long_key(each.key.replace("-", ""))
    elif each.type == "short":
        yield from _of_short_key(each.key)
    elif each.type == "tail":
        yield each.key.partition(CUT)[2]
    elif each.type == "mac":
        yield from _of_mac(each.key)
    elif each.type == "version":
        yield " ".join(RUN.findall(f"v{each.key}"))
    elif each.type in ("isbn", "issn", "card"):
        for number in filter(None, (each.key, other_isbn(each.key))):
            yield from group_digits(number)
    elif each.type == "iban":
        yield from group_digits(each.key)
    elif each.type in ("code", "plate", "name"):
        yield from _of_code(each)


def _of_code(each: Identifier) -> Iterator[str]:
    number = find_number(each)
    if len(number) >= SHORTEST_NUMBER:
        yield from group_digits(number)
    elif number:
        yield from (number, " ".join(number), *say_digits(number))
    if any(kind == "phone" for kind, _ in each.others):
        yield from _of_phone(number)
    for kind, key in each.others:
        if kind == "mac":
            yield from _of_mac(key)
    written = each.key if each.type == "plate" else flat(each.text)[0]
    if each.type == "name":
        written = each.key
    parts = _EDGE.sub(" ", " ".join(RUN.findall(written))).split()
    plain = "".join(parts)
    if number != plain:
        yield from _join_parts(parts)
        yield " ".join(plain)
        if len(parts) > 1 and parts[-1].isdigit():
            yield from (f"{' '.join(parts[:-1])} {said}" for said in say_digits(parts[-1]))
            digits = parts[-1]
            yield from (digits, *(group_digits(digits) if len(digits) >= SHORTEST_NUMBER else ()))
    if len(plain) >= LONG:
        yield from _of_long_key(plain.lower())
    if re.fullmatch("[0-9a-f]{7,31}", plain.lower()):
        yield from _of_short_key(plain.lower() + CUT)


def _join_parts(parts: Sequence[str]) -> Iterator[str]:
    """Yields the parts of a code, joined and apart in every way; zeros in front may be missing."""
    short = [part.lstrip("0") or "0" if part.isdigit() else part for part in parts]
    for each in dict.fromkeys([tuple(parts), tuple(short)]):
        yield " ".join(each)
        yield "".join(each)
        if len(each) <= MOST_PARTS:
            for joints in product(("", " "), repeat=len(each) - 1):
                yield "".join(f"{part}{gap}" for part, gap in zip(each, (*joints, ""), strict=True))


def _of_mac(key: str) -> Iterator[str]:
    digits = key.replace(":", "")
    yield from (digits, " ".join(re.findall("....", digits)), " ".join(re.findall("..", digits)))


def _of_mail(key: str) -> Iterator[str]:
    """Yields the first words of an address with what may be said between them.

    Dots, hyphens and the like part words in the index, so that they are there or are said.
    """
    owner, _, domain = key.partition("@")
    pieces = RUN.findall(owner)
    if len(pieces) > 1:
        for said in ("", *DOT_WORDS, *SIGN_WORDS):
            yield f"{pieces[0]} {said} {pieces[1]}".replace("  ", " ")
        yield from (f"{pieces[0]} {sign}{pieces[1]}" for sign in SIGNS_GLUED)
        return
    first = RUN.findall(domain)[:1]
    between = ("", *AT_WORDS, *AT_APART)
    yield from (" ".join(filter(None, [*pieces, at, *first])) for at in between)
    yield from (f"{' '.join(pieces)} {at}{first[0]}" for at in AT_GLUED if first)


def _of_host(key: str) -> Iterator[str]:
    """Yields the first words of a web address with the dot between them said."""
    first, dot, rest = (
        key.partition("://")[2].partition(".") if "://" in key else key.partition(".")
    )
    words, others = RUN.findall(first), RUN.findall(rest)
    if dot and words and others:
        yield from (f"{words[-1]} {said} {others[0]}" for said in DOT_WORDS)


def _of_phone(key: str) -> Iterator[str]:
    """Yields a number in groups, with and without its country."""
    if not key.lstrip("+").isdecimal():
        yield from group_digits("".join(filter(str.isdecimal, key)))
        return
    number = read_number(key)
    whole = number if number.country else read_foreign(key)
    for each in dict.fromkeys([number, whole] if whole else [number]):
        ahead = dict.fromkeys(["", "0", "1", each.trunk, each.country, f"00{each.country}"])
        yield from group_digits(each.national, tuple(ahead))
    if not whole:
        abroad = countries_of(key)
        yield from (country + number.national for country in abroad)
        for other in other_nationals(key):
            yield from (country + other for country in abroad)
        yield from (f"00{country}{number.national}" for country in abroad)


def _of_long_key(key: str) -> Iterator[str]:
    """Yields a hash or another long key, whole and in short."""
    for ahead in ("", "0x"):
        yield ahead + key
        for head in range(2, 11):
            for tail in range(2, 9):
                if head + tail >= FEWEST_SHOWN:
                    yield f"{ahead}{key[:head]} {key[-tail:]}"
    if re.fullmatch("[0-9a-f]{32,}", key):
        yield from (key[:size] for size in range(SHORTEST_HEAD, len(key)))
    if len(key) == 32:
        yield " ".join((key[:8], key[8:12], key[12:16], key[16:20], key[20:]))


def _of_short_key(key: str) -> Iterator[str]:
    head, _, tail = key.partition(CUT)
    for ahead in ("", "0x"):
        yield f"{ahead}{head} {tail}".strip()
    if not tail:
        yield from (head[:size] for size in range(SHORTEST_HEAD, len(head)))


def group_digits(digits: str, ahead: Sequence[str] = ("",)) -> Iterator[str]:
    """Yields the last digits of a number in every grouping, or said one by one.

    Enough of them are taken that few other texts have them. `ahead` are the digits that may stand
    before it in one group with its first.
    """
    yield from (before + digits for before in ahead)
    yield from (" ".join(way) for way in _group_end(digits, ENOUGH_DIGITS, ahead))
    if digits.isdecimal():
        yield from say_digits(digits[-ENOUGH_DIGITS:])
        yield from say_digits(digits)


def _group_end(digits: str, needed: int, ahead: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yields the ways to part the end of a number until enough digits are covered."""
    longest = len(digits) if needed == ENOUGH_DIGITS else min(len(digits), LONGEST_GROUP)
    for size in range(1, longest + 1):
        rest, last = digits[:-size], digits[-size:]
        if not rest:
            yield from ((before + last,) for before in ahead)
        elif size >= needed:
            yield (last,)
        else:
            yield from ((*way, last) for way in _group_end(rest, needed - size, ahead))


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
