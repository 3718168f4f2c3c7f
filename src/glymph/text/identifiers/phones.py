"""Phone numbers compared: with and without the country, by the number within the country."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

FEWEST, MOST = 7, 15  # digits


class Number(NamedTuple):
    """A phone number taken apart; without a country nobody knows where it rings."""

    country: str  # the digits dialled for it, as in "44"
    national: str  # the digits within it, without what is dialled before them
    trunk: str  # the digits dialled before them within the country, as in "0"


@lru_cache(maxsize=4096)
def read_number(key: str) -> Number:
    """Returns a number, given by its digits and a plus if the country is told, taken apart."""
    digits = key.lstrip("+")
    if key.startswith("00") and len(digits) > FEWEST + 2 and digits[2] != "0":
        key, digits = "+" + digits[2:], digits[2:]
    if key.startswith("+"):
        return _read_whole(digits) or Number("", digits, "")
    if digits.startswith("0"):
        return Number("", digits.lstrip("0"), "0")
    if len(digits) == 11 and digits[0] == "1":
        return Number("", digits[1:], "1")
    return Number("", digits, "")


@lru_cache(maxsize=4096)
def read_foreign(digits: str) -> Number | None:
    """Returns a number with its country's digits but no plus, if there may be such a number."""
    return _read_whole(digits, checked=True) if len(digits) > 10 and digits[0] != "0" else None


@lru_cache(maxsize=4096)
def find_national(wanted: str, country: str) -> str:
    """Returns the digits of a number as they are within a country; empty if there is no such."""
    import phonenumbers  # its tables take time to load

    if int(country) not in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
        return ""
    region = phonenumbers.region_code_for_country_code(int(country))
    try:
        found = phonenumbers.parse(wanted, region)
    except phonenumbers.NumberParseException:
        return ""
    if str(found.country_code) != country:
        return ""
    return str(phonenumbers.national_significant_number(found))


def other_nationals(digits: str) -> tuple[str, ...]:
    """Returns what may be left of a number when other digits than 0 are dialled first."""
    heads = ("8", "06", "01") if not digits.startswith("+") and len(digits) > 9 else ()
    return tuple(digits[len(head) :] for head in heads if digits.startswith(head))


@lru_cache(maxsize=256)
def countries_of(wanted: str) -> tuple[str, ...]:
    """Returns the countries a number without one may be in: those first where it is valid."""
    import phonenumbers  # its tables take time to load

    valid, possible = [], []
    for country in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
        if not find_national(wanted, str(country)):
            continue
        number = phonenumbers.parse(wanted, phonenumbers.region_code_for_country_code(country))
        if phonenumbers.is_valid_number(number):
            valid.append(str(country))
        elif phonenumbers.is_possible_number(number):
            possible.append(str(country))
    return (*valid, *possible)


def _read_whole(digits: str, *, checked: bool = False) -> Number | None:
    import phonenumbers  # its tables take time to load

    try:
        found = phonenumbers.parse("+" + digits)
    except phonenumbers.NumberParseException:
        return None
    if checked and not phonenumbers.is_possible_number(found):
        return None
    region = phonenumbers.region_code_for_country_code(found.country_code or 0)
    known = phonenumbers.PhoneMetadata.metadata_for_region(region, None)
    trunk = (known.national_prefix if known else None) or ""
    return Number(str(found.country_code), phonenumbers.national_significant_number(found), trunk)
