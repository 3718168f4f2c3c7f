"""Typed canonical keys: what in a text names one thing whole, however it is written.

One file per family finds them; what an earlier family has found is blank for the later ones. Types:
mail, url, handle, ip, mac, path, uuid, hash, iban, date, time, quantity, version, phone, card,
code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from decimal import Decimal

from glymph.text.dates import find_dates, find_named_times, find_times
from glymph.text.identifiers.aliases import Closure, aliases, closure
from glymph.text.identifiers.codes import codes, digit_runs, find_labelled, find_marked, versions
from glymph.text.identifiers.fingerprints import form
from glymph.text.identifiers.network import (
    bare_webs,
    handles,
    machines,
    macs,
    mails,
    paths,
    webs,
)
from glymph.text.identifiers.patents import patents
from glymph.text.identifiers.web_spelling import hidden_webs
from glymph.text.numbers import find_figures, find_number_words, find_quantities
from glymph.text.scripts import flat
from glymph.text.spans import BLANK, Family, Identifier, Key, Span, find_in_turn, place_span
from glymph.text.words import blank_unspaced

__all__ = [
    "Closure",
    "Identifier",
    "aliases",
    "closure",
    "end_at_unspaced",
    "find_matching",
    "find_spans",
    "fingerprint_forms",
    "identifiers",
    "keys",
    "numbers",
    "perhaps",
    "same",
]  # fmt: skip

Finder = Callable[[str], list[Span]]  # of the identifiers of a flattened text

_DIGIT = re.compile("[0-9]")
_NUMERAL = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_ADDRESSES: tuple[Family, ...] = (webs, mails, handles)
_WITHOUT_DIGITS: tuple[Family, ...] = (*_ADDRESSES, macs, hidden_webs, bare_webs, paths)
_PROVEN: tuple[Family, ...] = (
    *_ADDRESSES, find_marked, patents, machines, hidden_webs, bare_webs, paths,
)  # fmt: skip
_TOLD: tuple[Family, ...] = (find_dates, find_times, find_quantities)
_OTHERS: tuple[Family, ...] = (versions, find_labelled, digit_runs, codes)


def find_spans(plain: str) -> list[Span]:
    """The identifiers of a flattened text by place."""
    return sorted(find_in_turn(plain, _ALL if _DIGIT.search(plain) else _FEW), key=_start)


def identifiers(text: str, find: Finder = find_spans) -> tuple[Identifier, ...]:
    """Every identifier in the text, whole and by type, in the order in which they stand.

    Who asks again about one long text hands over `cache(find_spans)`.
    """
    plain, places = flat(text)
    return tuple(place_span(found, text, places) for found in find(plain))


def same(one: Identifier, other: Identifier) -> bool:
    """Returns whether both name the same thing for certain: equal type and equal whole key."""
    return one.type == other.type and one.key == other.key


def perhaps(one: Identifier, other: Identifier) -> bool:
    """Returns whether some reading of the one is some reading of the other.

    Examples are 5/8/2023 and 8 May, or a phone number without a country. A mail address may be one
    that stands in a web address; a web address is nothing but itself.
    """
    if one.type == "url":
        return same(one, other)
    if one.type == other.type == "phone" and one.key[0] == other.key[0] == "+":
        return one.key == other.key  # each tells its country
    return not set(one.readings).isdisjoint(other.readings)


def find_matching(wanted: Identifier, found: Iterable[Identifier]) -> tuple[Identifier, ...]:
    """Returns those of the found identifiers that are the wanted one.

    If none surely is, returns those that perhaps are, provided they all are one thing.
    """
    found = tuple(found)
    certain = tuple(each for each in found if same(wanted, each))
    if certain:
        return certain
    possible = tuple(each for each in found if perhaps(wanted, each))
    return possible if len({(each.type, each.key) for each in possible}) == 1 else ()


def keys(text: str) -> frozenset[Key]:
    """The type and canonical key of every identifier in the text."""
    return frozenset((found.type, found.key) for found in find_spans(flat(text)[0]))


def numbers(text: str) -> Counter[Decimal]:
    """Every numeric value of the text, with how often it stands there.

    Values inside identifiers are taken from their keys, so two writings of one date, phone or price
    have the same. Small numbers in words count (three, drei, trois); articles that also mean one do
    not.
    """
    plain, _ = flat(text)
    counted: Counter[Decimal] = Counter()
    rest = plain
    if _DIGIT.search(plain):
        found = find_spans(plain)
        rest = _blank_out(plain, found)
        for each in found:
            counted.update(_values(each))
        counted.update(value for value, _, _ in find_figures(rest))
    counted.update(find_number_words(rest))
    return counted


def fingerprint_forms(text: str, find: Finder = find_spans) -> tuple[str, ...]:
    """The forms under which a whole text is known again after trivial rewording.

    Case, spacing, punctuation, Unicode form and the writing of identifiers make no difference; a
    number, a name, a negation does. One form is of the text as it is written, one of the text in
    small letters: two texts that share any form are the same.
    """
    # Small letters come first: some capitals look like those of another script where the small ones
    # do not.
    both = (flat(text)[0], flat(text.casefold())[0].casefold())
    plain = dict.fromkeys(" ".join(each.split()) for each in both)
    return tuple(dict.fromkeys(form(each, find(each)) for each in plain))


def end_at_unspaced(family: Family) -> Family:
    """Returns a family that sees scripts without spaces as ends of words.

    Dates, times, amounts and handles do not: there such a letter may be a part of them.
    """
    return family if family is handles else lambda text: family(blank_unspaced(text))


_FEW: tuple[Family, ...] = (*map(end_at_unspaced, _WITHOUT_DIGITS), find_named_times)
_ALL: tuple[Family, ...] = (
    *map(end_at_unspaced, _PROVEN), *_TOLD, *map(end_at_unspaced, _OTHERS), find_named_times,
)  # fmt: skip


def _start(found: Span) -> int:
    return found.start


def _blank_out(plain: str, found: Iterable[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for each in found:
        pieces += (plain[at : each.start], BLANK * (each.end - each.start))
        at = each.end
    return "".join((*pieces, plain[at:]))


def _values(found: Span) -> list[Decimal]:
    if found.type == "quantity":
        return [Decimal(found.key.split(" ")[0])]
    if found.type in ("phone", "card", "iban", "uuid", "hash", "mac"):
        return [Decimal("".join(_DIGIT.findall(found.key)) or "0")]
    return [Decimal(numeral) for numeral in _NUMERAL.findall(found.key)]
