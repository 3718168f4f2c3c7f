"""Finds one wanted identifier in a text, in every spelling that people use, and nothing else.

The families in this folder say what a text holds without knowing what is looked for. Here it is
known, so that spellings count that prove nothing by themselves: "four seven one one", "moira dot
finch at ramblers dot example", "0x7aF3…D0c9".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from glymph.text.grammar import FUNCTION, VERBS
from glymph.text.identifiers.aloud import (
    SAID_DASH,
    VALUES,
    find_rows,
    may_be_said,
    spell_pattern,
    write_pattern,
)
from glymph.text.identifiers.books import other_isbn
from glymph.text.identifiers.codenames import name_pattern
from glymph.text.identifiers.codes import is_other_label
from glymph.text.identifiers.mail_spelling import find_mails
from glymph.text.identifiers.phones import (
    FEWEST,
    MOST,
    Number,
    find_national,
    other_nationals,
    read_foreign,
    read_number,
)
from glymph.text.identifiers.shortened import CUT, LONG, bare, find_shortened, find_whole
from glymph.text.identifiers.tails import find_tails
from glymph.text.identifiers.web_spelling import spell_host
from glymph.text.normal import STOP_WORDS
from glymph.text.spans import Identifier
from glymph.text.words import UNSPACED, blank_unspaced

SHORTEST_NUMBER = 5  # digits of a number that is known in any groups
SHORTEST_CODE = 5  # letters and digits of a code that is known in any groups
LONG_PHONE = 9  # digits of a number that may be a phone, where a text tells its country
SURELY_ONE = 6  # digits of a number that is one whatever it is called
_WRITTEN_GAP = "[ ./_()·-]{0,3}"
_GAP = f"(?:{_WRITTEN_GAP}| {{1,3}}{SAID_DASH} {{1,3}})"
_BEFORE = r"(?<![\w@\\+-])(?<!\w[/_])(?<![0-9][.,:])"
_AFTER = r"(?![\w@]|[.,/:_-]\w)"
_CODE_BEFORE, _CODE_AFTER = r"(?<![\w-])(?<![0-9][.,/])", r"(?![\w-]|[.,/]\w)"
_PLATE_AFTER = r"(?![\w]|-\w)"
_NEXT = re.compile(r"[\s.()/_,-]{1,3}(?P<next>[0-9]+|[^\W\d_]+)(?P<unit> ?[^\W\d_]+)?")
_LAST = re.compile(r"(?P<last>[0-9]+|[^\W\d_]+)(?P<gap>[\s.()/_,-]{1,3})\Z")
_LAST_WIDTH = 16
_EXTENSION = re.compile(r" ?(?:ext\.?|extension|durchwahl|dw|poste|x) ?[0-9]", re.IGNORECASE)
_ARTICLE = re.compile(r"(?<!\w)(?:an?|eine?|une?|una|uno|uma?|some|any|another)\s\Z", re.IGNORECASE)
_SOLID = frozenset({"url", "mail", "path", "ip", "mac", "iban", "card", "uuid", "hash", "phone"})
_USED_AS_A_NAME = re.compile(
    r"(?<!\w)(?:handle|user ?name|user|nick(?:name)?|account|login|profile|known as|goes by|aka"
    r"|alias|twitter|instagram|tiktok|github|telegram|discord|reddit|twitch|benutzer\w*|konto"
    r"|pseudo|usuario)\W{1,3}(?:(?:is|was|as|ist|name|handle)\W{1,2})?\Z",
    re.IGNORECASE,
)


class Spelling(NamedTuple):
    """Where a wanted identifier stands.

    `meant` says which one this is, where the wanted one leaves open which of several it means.
    """

    start: int
    end: int
    meant: str = ""


def find_spellings(
    wanted: Identifier, text: str, found: Sequence[Identifier]
) -> Iterator[Spelling]:
    """Finds the wanted identifier in a flattened text whose own identifiers are given."""
    ends = [other.end for other in found]
    # Scripts without spaces end a number; but its digits may be written in one of them.
    seen = [each for body in {text, blank_unspaced(text)} for each in _find(wanted, body, found)]
    for each in dict.fromkeys(sorted(seen)):
        around = found[bisect_right(ends, each.start) : bisect_right(ends, each.end) + 1]
        if not any(_reaches_beyond(other, each, text, wanted) for other in around):
            yield each


def _find(wanted: Identifier, text: str, found: Sequence[Identifier]) -> Iterator[Spelling]:
    kind, key = wanted.type, wanted.key
    if kind == "mail":
        yield from (Spelling(*span) for span in find_mails(key, text))
    elif kind == "short":
        yield from (Spelling(*each) for each in find_whole(key, text))
    elif kind == "tail":
        yield from (Spelling(*each) for each in find_tails(key, text, found))
    elif kind == "handle":
        yield from _find_handle(key, text)
    elif kind == "name":
        yield from _find_name(key, text)
    elif kind == "phone":
        yield from _find_phone(key, text)
    else:
        # To compile how a long code may be said takes 15 ms, and few texts say one.
        said = may_be_said(_characters(wanted), text)
        for pattern in _patterns(kind, key, wanted.text, wanted.others, said=said):
            for match in pattern.finditer(text):
                if not _goes_on(text, *match.span(), strictly=False):
                    yield Spelling(*match.span())
        yield from _find_more(wanted, text)


def _characters(wanted: Identifier) -> str:
    """Returns the letters and digits that its patterns are made of, and perhaps others."""
    if wanted.type == "isbn":  # its other form ends in any digit
        return "0123456789x"
    return "".join([wanted.key, wanted.text, *(key for _, key in wanted.others)])


def _find_more(wanted: Identifier, text: str) -> Iterator[Spelling]:
    """What patterns do not tell: keys in short, and short numbers said digit by digit."""
    whole = bare(compact(wanted.text))
    if wanted.type in ("hash", "uuid") or (wanted.type == "code" and len(whole) >= LONG):
        yield from (Spelling(*span) for span in find_shortened(whole, text))
    elif wanted.type == "code" and re.fullmatch("(?=.*[0-9])(?=.*[a-f])[0-9a-f]{7,31}", whole):
        for start, end, meant in find_whole(whole + CUT, text):
            if len(meant) >= 32:
                yield Spelling(start, end, meant)
    number = find_number(wanted)
    if "#" in wanted.text and number:  # the request says so
        for match in re.finditer(rf"(?<![\w#-])#{number}(?!\w|[.,-]\w)", text):
            yield Spelling(*match.span())
    if number and len(number) < SHORTEST_NUMBER:
        for digits, start, end in find_rows(text):
            if digits == number:
                yield Spelling(start, end)
    yield from _find_filled(wanted.text, text)
    dialled = len(number) >= LONG_PHONE or any(kind == "phone" for kind, _ in wanted.others)
    if wanted.type == "code" and number and dialled:
        yield from (each for each in _find_phone(number, text) if each.meant)


def _find_filled(written: str, text: str) -> Iterator[Spelling]:
    """A number in groups as it is in files: after letters, its groups filled up with zeros."""
    groups = re.split("[./_-]", written)
    if len(groups) > 1 and all(map(str.isdecimal, groups)):
        filled = "[ ./_-]{1,3}".join(f"0*{group.lstrip('0')}" for group in groups)
        pattern = rf"{_CODE_BEFORE}(?P<label>[^\W\d_]{{2,6}})[ ./_-]{{0,2}}{filled}{_CODE_AFTER}"
        for match in re.finditer(pattern, text):
            yield Spelling(*match.span(), match["label"].casefold())


@lru_cache(maxsize=1024)
def _patterns(
    kind: str, key: str, written: str, others: tuple[tuple[str, str], ...], *, said: bool
) -> tuple[re.Pattern[str], ...]:
    """Returns the patterns of an identifier; those for texts in which nothing is said are short."""
    wanted = Identifier(kind, key, 0, 0, written, others)
    return tuple(re.compile(each, re.IGNORECASE) for each in _expressions(wanted, said=said))


def _expressions(wanted: Identifier, *, said: bool) -> Iterator[str]:
    spell = spell_pattern if said else write_pattern
    kind, key = wanted.type, wanted.key
    if kind == "url" and "://" not in key and "@" not in key:
        host, slash, page = key.partition("/")
        rest = f"{slash}(?-i:{re.escape(page)})" if slash else ""
        yield (
            rf"(?<![\w@.:/%-])(?:h(?:tt|xx)ps?://)?(?:www\.)?{spell_host(host)}{rest}/?(?:\#[\w-]{{0,80}})?"
            r"(?![\w/?#&=%@:-]|[.,;]\w)"
        )
    elif kind in ("uuid", "hash"):
        digits = key.replace("-", "")
        joint = "-?" if len(digits) == 32 else ""
        cuts = (0, 8, 12, 16, 20, len(digits)) if joint else (0, len(digits))
        parts = [digits[a:b] for a, b in pairwise(cuts)]
        yield rf"(?<![\w-])(?:0x)?{joint.join(parts)}(?![\w-])"
    elif kind in ("isbn", "issn", "card", "iban"):
        gap = "[ .-]{0,2}"
        for number in filter(None, (key, other_isbn(key) if kind == "isbn" else "")):
            yield rf"{_BEFORE}{spell(number, gap)}{_AFTER}"
    elif kind == "plate":
        spelt = "[ .:·•・_-]{0,3}".join(map(re.escape, key))
        before = "" if UNSPACED.match(key) else r"(?<![\w-])"  # words stand beside it there
        yield rf"{before}{spelt}{'(?![A-Za-z0-9]|-[A-Za-z0-9])' if not before else _PLATE_AFTER}"
    elif kind == "mac":
        yield from _mac_expressions(key)
    elif kind == "version":
        yield (
            rf"(?<![\w.,/-])(?:v|ver\.?|versi[oó]n[ae]?|release|rel\.?|build) ?{re.escape(key)}"
            r"(?![\w]|[.,+-]\w)"
        )
    elif kind == "code":
        yield from _code_expressions(wanted, said=said)


def _mac_expressions(key: str) -> Iterator[str]:
    digits = key.replace(":", "")
    pairs = re.findall("..", digits)
    yield rf"(?<![\w:.-])(?:{digits}|{'[:-]'.join(pairs)})(?![\w:-]|\.\w)"
    yield rf"(?<![\w.]){'[.]'.join(re.findall('....', digits))}(?!\w|[.]\w)"


def _code_expressions(wanted: Identifier, *, said: bool) -> Iterator[str]:
    spell, gap = (spell_pattern, _GAP) if said else (write_pattern, _WRITTEN_GAP)
    for kind, key in wanted.others:
        if kind == "mac":
            yield from _mac_expressions(key)
    number = find_number(wanted)
    if len(number) >= SHORTEST_NUMBER:
        yield rf"{_BEFORE}{spell(number)}{_AFTER}"
    key = compact(wanted.text)
    if number == key or not re.search("[0-9]", key):
        return
    if len(key) >= SHORTEST_CODE:
        yield rf"{_CODE_BEFORE}{spell(key, gap)}{_CODE_AFTER}"
    digits = re.sub("^[^0-9]+", "", key)
    if digits.isdecimal() and len(digits) > SURELY_ONE:
        yield rf"{_BEFORE}{spell(digits)}{_AFTER}"


def find_number(wanted: Identifier) -> str:
    """Returns the digits of a code that is a number, perhaps with a label; else nothing."""
    if wanted.key.isdecimal():
        return wanted.key
    numbers = [key for kind, key in wanted.others if kind == "code" and key.isdecimal()]
    # The longest reading is the one as it is written: others may lack its zeros.
    return max(numbers, key=len) if numbers else ""


def is_another_number(wanted: Identifier, found: Identifier) -> bool:
    """Returns whether two short numbers are called different things: order 4711, invoice 4711."""
    return is_other_label(wanted.key, found.key) and len(find_number(wanted)) < SURELY_ONE


def _find_handle(key: str, text: str) -> Iterator[Spelling]:
    """A handle with its @, and without it where it cannot be a word of the sentence."""
    name, at, server = key.partition("@")
    told = re.search(r"[\d_.-]", name) is not None
    whole = re.escape(name + at + server)
    pattern = rf"(?<![\w.+/%-])(?<!\w@)(@?){whole}(?![\w@]|[.-]\w)"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        before = text[max(0, match.start() - 40) : match.start()]
        if match[1] or told or at or _USED_AS_A_NAME.search(before):
            yield Spelling(*match.span())


def _find_name(key: str, text: str) -> Iterator[Spelling]:
    """A code name; in small letters and apart after an article it is a thing, not a name."""
    for match in re.finditer(name_pattern(key), text, re.IGNORECASE):
        words = " " in match[0] and match[0].islower()
        if not (words and _ARTICLE.search(text, max(0, match.start() - 12), match.start())):
            yield Spelling(*match.span())


def _find_phone(key: str, text: str) -> Iterator[Spelling]:
    """A phone with or without its country; a number with an extension is another one."""
    if "x" in key or not FEWEST <= len(key.lstrip("+")) <= MOST + 2:
        return
    for number, pattern in _phone_patterns(key):
        for match in pattern.finditer(text):
            start, end = match.span()
            if _goes_on(text, start, end, strictly=True) or _EXTENSION.match(text, end):
                continue
            country = re.sub("[^0-9]", "", match["country"] or "")
            if not country or number.country:
                yield Spelling(start, end)
            elif find_national(key, country).lstrip("0") == number.national.lstrip("0"):
                yield Spelling(start, end, country)


@lru_cache(maxsize=1024)
def _phone_patterns(key: str) -> tuple[tuple[Number, re.Pattern[str]], ...]:
    """For each way to read a number, the expression for its spellings."""
    number = read_number(key)
    found = [(number, _phone_pattern(number))]
    if not number.country:
        whole = read_foreign(key)
        found += [(whole, _phone_pattern(whole))] if whole else []
        others = [Number("", national, "0") for national in other_nationals(key)]
        found += [(each, _phone_pattern(each, abroad=True)) for each in others]
    return tuple(found)


def _phone_pattern(number: Number, *, abroad: bool = False) -> re.Pattern[str]:
    """`abroad` asks that the country is told."""
    gap = r"[\s./_()-]{0,3}"
    country = number.country or "[1-9][0-9]{0,2}"
    trunk = number.trunk or "0"
    told = (
        rf"\(?(?:\+|00|011[ -]){gap}(?P<country>{country}){gap}(?:[( ]{{0,2}}{trunk}[ )]{{0,2}})?"
        + gap
    )
    bare_country = rf"|{country}{gap}" if number.country else r"|\+"
    dialled = "[01]" if not number.country and len(number.national) == 10 else trunk
    ahead = f"(?:{told})" if abroad else rf"(?:{told}{bare_country}|\(?{dialled}{gap}|\()?"
    return re.compile(
        rf"(?<![\w@\\+-])(?<!\w[/_])(?<![0-9][.,:]){ahead}{spell_pattern(number.national)}{_AFTER}",
        re.IGNORECASE,
    )


def _goes_on(text: str, start: int, end: int, *, strictly: bool) -> bool:
    """Returns whether the number or code here is a part of a longer one.

    A number in groups goes on in the next group of digits, unless that counts something: "2
    times". `strictly` says that one in a single group does so, too.
    """
    inside = text[start:end]
    gaps = {gap.strip() or " " for gap in re.findall(r"[\s./_,()-]+", inside)}
    if not strictly and not gaps:
        return False
    said = re.search(r"[^\W\d_]{2}", inside) is not None
    after = _NEXT.match(text, end)
    if after and _is_digits(after["next"], said=said) and _joins(after[0], after["next"], gaps):
        unit = (after["unit"] or "").strip().lower()
        if said or not unit or unit in FUNCTION | VERBS | STOP_WORDS or len(unit) < 2:
            return True
    before = _LAST.search(text, max(0, start - _LAST_WIDTH), start)
    return bool(
        before and _is_digits(before["last"], said=said) and _joins(before["gap"], "", gaps)
    )


def _is_digits(word: str, *, said: bool) -> bool:
    return word.isdecimal() or (said and word.lower() in VALUES)


def _joins(written: str, following: str, gaps: set[str]) -> bool:
    """Returns whether what stands between two groups holds them together."""
    gap = written.partition(following)[0] if following else written
    mark = gap.strip() or " "
    return mark in gaps if mark[0] in ",." and (" " in gap or mark[0] == ",") else True


def _reaches_beyond(other: Identifier, each: Spelling, text: str, wanted: Identifier) -> bool:
    """Returns whether another identifier holds these characters as a part of its own."""
    if other.end <= each.start or each.end <= other.start:
        return False
    if other.type == "code" and is_another_number(wanted, other):
        return True
    outside = text[other.start : max(other.start, each.start)] + text[each.end : other.end]
    if other.type == "quantity":
        if each.start < other.start:  # no amount begins in the middle of a number
            return False
        return re.search(r"[^\W\d_]|[$€£¥%°]", outside) is not None
    if wanted.type == "name" and other.type in ("url", "path"):
        return False  # a folder of that name
    if wanted.type == "mail" and (wanted.type, wanted.key) in other.others:
        return False  # a web address that holds it
    if other.type in ("mail", "url", "path") and other.type != wanted.type:
        return bool(outside.strip(" <>\"'"))
    return other.type in _SOLID and re.search("[0-9]", outside) is not None


def compact(text: str) -> str:
    """Returns the letters and digits of an identifier, in small letters."""
    return re.sub(r"[\W_]", "", text).lower()
