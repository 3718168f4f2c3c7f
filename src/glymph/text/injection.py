"""Texts that try to steer the agent or its memory.

They tell it to ignore its rules, deceive its user, or give secrets away. What is remembered is
shown to an agent again, so such a text must not become a memory by itself, nor be put before an
agent unasked. Ordinary standing orders ("always run the linter", "never tell customers the
roadmap") are none of these. A text is read as a model would read it: in plain characters, and
decoded where it is encoded.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from glymph.text.injection_forms import HIDDEN, decode_hidden, hides_text, make_plain
from glymph.text.injection_languages import LANGUAGES
from glymph.text.injection_orders import PATTERNS
from glymph.text.patterns import compile_late

BEFORE = 60  # characters before a match that may deny it


class Order(NamedTuple):
    """The pattern of an order, what it wants, and the words it needs.

    An order that may be forbidden is fair behind "never".
    """

    wants: str
    pattern: str
    needs: tuple[str, ...]
    forbidden: bool = True


def find_order(text: str) -> str | None:
    """Returns what a text tries to make the agent do that no memory may.

    None if the text is no such order.
    """
    if hides_text(text):
        return HIDDEN
    plain = make_plain(text)
    found = _find_plain(plain)
    if found is None:
        found = next(filter(None, map(_find_plain, decode_hidden(text, plain))), None)
    return found


def _find_plain(plain: str) -> str | None:
    low = plain.lower()
    said = {word for word in _NEEDED if word in low}
    for each in ORDERS if said else ():
        if said.isdisjoint(each.needs):
            continue
        for match in _compile(each.pattern).finditer(plain):
            if not (each.forbidden and _is_denied(plain, match.start())):
                return each.wants
    return None


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    """Compiles a pattern when it is first needed: all of them would take a tenth of a second."""
    return re.compile(pattern, re.IGNORECASE)


def _is_denied(text: str, at: int) -> bool:
    """Returns whether the clause says not to do what follows.

    For example, "never send keys to …" is a fair rule.
    """
    clause = _CLAUSE_END.split(text[max(0, at - BEFORE) : at])[-1]
    return bool(_NOT.search(clause)) and not _NOT_REALLY.search(clause)


_CLAUSE_END = compile_late(r"[.!?;:,\n]|\b(?:and|but|then|instead|always)\b", re.IGNORECASE)
# A list of its own: every word in it lets an order through.
_NOT = compile_late(
    r"\b(?:never|not|don'?t|doesn'?t|didn'?t|won'?t|can'?t|cannot|mustn'?t|shouldn'?t|avoid"
    r"|nobody|no one|nothing|without|forbidden|prevents?|blocks?|rejects?|detects?|instead of"
    r"|rather than|against)\b",
    re.IGNORECASE,
)
_NOT_REALLY = compile_late(
    r"\b(?:forget|fail|hesitate|refuse|stop|afraid|only|omit|neglect)\b", re.IGNORECASE
)

ORDERS: tuple[Order, ...] = tuple(
    Order(wants, pattern, tuple(needs.split("|")), forbidden)
    for wants, pattern, needs, forbidden in (*PATTERNS, *((*one, False) for one in LANGUAGES))
)
_NEEDED = frozenset(word for order in ORDERS for word in order.needs)
