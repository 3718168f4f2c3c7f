"""Numbers of bank accounts (IBAN), known by their country, length and check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from glymph.text.spans import Span

_IBAN = re.compile(
    r"([A-Za-z](?<!\w.)[A-Za-z][0-9]{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ "
    r"-]?[A-Za-z0-9]{1,3})?)(?![\w])"
)
_LENGTHS = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK",
        21: "CH CR HR LI LV", 22: "BG BH DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
        24: "AD CZ DZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
        27: "FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV", 29: "BR EG PS QA UA",
        30: "JO KW MU", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip


def ibans(text: str) -> Iterator[Span]:
    """Account numbers whose check digits hold."""
    for match in _IBAN.finditer(text):
        yield from _read(match)


def _read(match: re.Match[str]) -> Iterator[Span]:
    """An account number, as long as its check digits hold; words that follow it are left off."""
    written = match[1]
    length = _LENGTHS.get(written[:2].upper(), 99)
    while len(written) >= length:
        key = re.sub("[ -]", "", written).upper()
        if (
            len(key) == length
            and int("".join(str(int(c, 36)) for c in key[4:] + key[:4])) % 97 == 1
        ):
            yield Span("iban", key, match.start(), match.start() + len(written))
            return
        cut = max(written.rfind(" "), written.rfind("-"))
        if cut < 0:
            return
        written = written[:cut]
