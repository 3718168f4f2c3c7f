"""Letters and digits that stand in a row, read in every way in which they may be one identifier."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from glymph.text.identifiers import identifiers
from glymph.text.identifiers.phones import FEWEST, read_number
from glymph.text.scripts import flat
from glymph.text.spans import Identifier

PART = re.compile(r"[0-9a-z]+")
# Characters of a code that different things may carry: it counts with the word before it.
SHORT = 4
_JOINT = re.compile(r"[ ./_()·-]{0,3}")
_ABROAD = "00"  # dialled for the plus before a country
_MOST_PARTS, _MOST_CHARS = 8, 40  # of an identifier whose characters stand apart


def list_runs(plain: str) -> Iterator[str]:
    """Yields letters and digits that stand in a row, with whatever separators between them."""
    if not any(map(str.isdigit, plain)):
        return
    parts = list(PART.finditer(plain))
    joined = [
        _JOINT.fullmatch(plain, one.end(), other.start()) is not None
        for one, other in pairwise(parts)
    ]
    words = [part[0] for part in parts]
    for first, run in enumerate(words):
        at = first
        while len(run) <= _MOST_CHARS:
            if len(run) > SHORT and not run.isalpha():
                yield run
                if run.startswith(_ABROAD):
                    yield run.removeprefix(_ABROAD)
            if at == len(joined) or not joined[at] or at == first + _MOST_PARTS - 1:
                break
            at += 1
            run += words[at]


def stands_in_a_row(one: Identifier, text: str) -> bool:
    """Tells whether a number stands in a text beside other figures: 0049-703-97-028 12.

    Read whole, such figures are another number, or none. One of another country is another one.
    """
    digits = compact(one.key)
    if not digits.isdigit() or len(digits) < FEWEST or digits[-FEWEST:] not in compact(text):
        return False
    wanted = {digits}
    if one.type == "phone":
        national = read_number(one.key).national
        wanted |= {national, f"0{national}"} if len(national) >= FEWEST else set()
        text = _blank_foreign(one, text)
    return not wanted.isdisjoint(list_runs(flat(text)[0].casefold()))


def compact(text: str) -> str:
    """Returns the letters and digits of a text alone."""
    return "".join(PART.findall(flat(text)[0].casefold()))


def _blank_foreign(one: Identifier, text: str) -> str:
    """Returns a text without the phone numbers that tell another country than a number does."""
    for found in reversed(identifiers(text)):
        told = found.type == "phone" and found.key.startswith("+") and one.key.startswith("+")
        if told and not found.key.startswith(one.key):
            text = f"{text[: found.start]};{text[found.end :]}"
    return text
