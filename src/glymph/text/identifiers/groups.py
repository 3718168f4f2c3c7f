"""Identifiers in groups: what stands in a row names one thing, and none of its groups does.

"AB 12 34 56 C" is neither "AB 12" nor anything else that a text may call so. Only a request proves
that, and only where the groups are no list: "TKT-100 TKT-200".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise

from glymph.text.scripts import look_alike_latin
from glymph.text.spans import Span
from glymph.text.words import blank_unspaced, word_set

FEWEST_DIGITS = 7  # of groups of which none is an identifier by itself
MOST_WORDS = 300  # of a request; more are a text that tells what its codes are
LONG = 7  # letters and digits that name one thing without the letters before them
_MOST_GROUPS, _MOST_CHARS, _FEWEST_CHARS = 10, 40, 5  # of an identifier
_MOST_CAPITALS = 6  # of a group of letters alone
_PARTS_OF_MORE = frozenset({"code", "plate", "quantity", "version", "date", "time"})
_CHECKED = re.compile("[0-9]{1,3}(?:[.][0-9]{3}){2,}-[0-9kK]{1,2}")
_DOTTED = re.compile("[0-9]{2,}(?:[.-][0-9]{2,})+")
_FEWEST_OF_PERSONS = 9  # digits
_TOKEN = re.compile(r"[^\W_]+")
_JOINT = re.compile(r" |[./_·-]| [/-] | ?\(|:")
_LOOSE = frozenset(" /")  # also between the members of a list
_LABELS = word_set(
    "no nr num id is of to or and for pin otp tan vin mac ip imei imsi iccid isbn issn uuid iban "
    "bic swift vat uid tin ein lei pan mrn ssn nino nir ahv avs dni nie nif nit cif cpf cnpj rut "
    "curp rfc cuit cuil bsn cnp egn cpr pesel nip regon oib jmbg hetu tckn rrn nric hkid gstin "
    "aadhaar sin tfn abn medicare инн снилс огрн"
)


def join_groups(text: str, found: Iterable[Span], asks: Callable[[str], bool]) -> Iterator[Span]:
    """Finds the rows of groups in a request of which only parts were found as identifiers.

    `asks` tells which words of a request say nothing of what it asks for.
    """
    body = blank_unspaced(text)
    tokens = list(_TOKEN.finditer(body))
    if len(tokens) > MOST_WORDS:
        return
    known = list(found)
    for row in _list_rows(body, tokens, asks):
        around = [one for one in tokens if one not in row]
        others = len(around) > sum(_is_beside(one[0], asks) for one in around)
        alone = not others and len(_TOKEN.findall(text)) == len(tokens)
        while row and _is_label(row[0][0]):
            row = row[1:]
        if row and _is_one(body, row, known, alone=alone):
            start, end = row[0].start(), row[-1].end()
            end += body[start:end].count("(") > body[start:end].count(")") and body[end:][:1] == ")"
            yield Span("code", look_alike_latin("".join(one[0] for one in row).upper()), start, end)


def _list_rows(
    text: str, tokens: Sequence[re.Match[str]], asks: Callable[[str], bool]
) -> Iterator[list[re.Match[str]]]:
    """Yields the groups that stand in a row, with nothing but a separator between them."""
    row: list[re.Match[str]] = []
    for token in tokens:
        joint = text[row[-1].end() : token.start()] if row else ""
        glued = bool(row) and _JOINT.fullmatch(joint) is not None
        fits = _is_group(token[0], asks) or (glued and joint not in _LOOSE and len(token[0]) == 1)
        if row and not (glued and fits):
            yield row
            row = []
        row = [*row, token] if fits else []
    if row:
        yield row


def _is_group(token: str, asks: Callable[[str], bool]) -> bool:
    if re.search("[0-9]", token):
        return True
    return token.isupper() and len(token) <= _MOST_CAPITALS and not (len(token) > 2 and asks(token))


def _is_label(token: str) -> bool:
    return token.casefold() in _LABELS


def _is_beside(token: str, asks: Callable[[str], bool]) -> bool:
    return _is_label(token) or asks(token)


def _is_one(text: str, row: Sequence[re.Match[str]], known: Sequence[Span], *, alone: bool) -> bool:
    """Tells whether a row of groups is one identifier that is not known as such."""
    start, end = row[0].start(), row[-1].end()
    parts = [one for one in known if one.start < end and start < one.end]
    chars = "".join(one[0] for one in row)
    digits = len(re.findall("[0-9]", chars))
    if not digits or len(row) > _MOST_GROUPS or not _FEWEST_CHARS <= len(chars) <= _MOST_CHARS:
        return False
    if any(not _may_be_a_part(text, one, start, end) for one in parts):
        return False
    open_ones = [one for one in row if not _covers(parts, one)]
    if not any(one.type in ("code", "plate") for one in parts):
        if not alone or digits < FEWEST_DIGITS or len(parts) > 1:
            return False
        if not parts:
            return len(row) > 1
        solid = text[start].isdigit() and " " not in text[start:end]  # 12345678S are no seconds
        return parts[0].type in ("version", "quantity") and solid
    if not open_ones:
        return len(parts) > 1 and _belong_together(text, parts, alone=alone)
    first = (
        len(open_ones) == row.index(open_ones[-1]) + 1
        and "".join(one[0] for one in open_ones).isalpha()
    )
    if first and len(parts) == 1 and len(chars) - sum(len(one[0]) for one in open_ones) >= LONG:
        return False
    return alone or len(open_ones) > 1 or any(_is_glued(text, one, start) for one in open_ones)


def _may_be_a_part(text: str, one: Span, start: int, end: int) -> bool:
    """Tells whether what was found may be a part of a longer identifier: nothing proves it."""
    if one.type not in _PARTS_OF_MORE:
        return False
    ahead, behind = text[start : one.start][-1:], text[one.end : end][:1]
    return one.type not in ("date", "time") or bool((ahead + behind).strip())


def _covers(parts: Iterable[Span], token: re.Match[str]) -> bool:
    return any(one.start <= token.start() and token.end() <= one.end for one in parts)


def _belong_together(text: str, parts: Sequence[Span], *, alone: bool) -> bool:
    """Tells whether identifiers that stand in a row are parts of one, and no list."""
    order = sorted(parts, key=lambda one: one.start)
    if any(one.type not in ("code", "plate") for one in order):
        return False
    shapes = {_shape(text[one.start : one.end]) for one in order}
    gaps = {text[one.end : two.start] for one, two in pairwise(order)}
    return len(shapes) > 1 and (alone or not gaps <= _LOOSE)


def _shape(written: str) -> str:
    return re.sub(r"[^\W\d_]", "A", re.sub("[0-9]", "9", written))


def _is_glued(text: str, token: re.Match[str], start: int) -> bool:
    ahead, behind = text[max(start, token.start() - 1) : token.start()], text[token.end() :][:1]
    return any(one in "._·-:(" for one in (ahead, behind) if one)


def is_personal(dotted: str) -> bool:
    """Tells whether groups with dots are a number of a person, not a version: 123.456.789-09.

    Long versions have a group of one digit, as 115.0.5790.170; so has a number with a check digit.
    """
    digits = re.findall("[0-9]", dotted)
    long = _DOTTED.fullmatch(dotted) is not None and len(digits) >= _FEWEST_OF_PERSONS
    return long or _CHECKED.fullmatch(dotted) is not None
