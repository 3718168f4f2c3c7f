"""Masks secrets in a text before it leaves the machine or is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from glymph.text.patterns import compile_late
from glymph.text.secret_rules import RULES

SECRET = "[secret]"
SHORTEST = 8  # characters of a text that can say one
_LOGIN = compile_late(
    r"(?P<scheme>\b[a-z][a-z0-9+.\-]{0,20}://)(?![^\s/?#@]{0,400}\[secret\]@)"
    r"(?P<user>[^\s/?#:@]{0,200}:)?[^\s/?#@]{1,400}@",
    re.IGNORECASE,
)
_QUERY = compile_late(
    r"(?P<name>[?&;][\w.\-]{0,40}(?:key|token|secret|passw|password|pwd|sig|signature|auth|credential)"
    r"[\w.\-]{0,20}=)(?!\[secret\])[^&;#\s]{1,400}",
    re.IGNORECASE,
)
# What keys have and few words do: so many characters without a blank or a bracket.
_LONG_WORD = compile_late(r"[\w\-.~|:+/=%]{12}")
_SHORT_RULES = tuple(rule for rule in RULES if not rule.is_long)
_NEEDED = frozenset(word for rule in RULES for word in rule.needs)
_NEEDED_SHORT = frozenset(word for rule in _SHORT_RULES for word in rule.needs)


def masked_in(value: Any) -> Any:
    """A value as JSON knows it, with every secret in its texts masked."""
    match value:
        case str():
            return value if len(value) < SHORTEST else mask_secrets(value)[0]
        case Mapping():
            return {key: masked_in(item) for key, item in value.items()}
        case list() | tuple():
            return [masked_in(item) for item in value]
    return value


def mask_url(url: str) -> str:
    """Returns an address or another setting as it may be shown, without what lets somebody in.

    That is a password, on the web a user without one (which is a token then), and what a query
    calls a key; of anything else what looks like a secret.
    """
    shown = _LOGIN.sub(_mask_login, url)
    shown = _QUERY.sub(lambda found: f"{found['name']}{SECRET}", shown)
    return mask_secrets(shown)[0]


def _mask_login(found: re.Match[str]) -> str:
    if found["user"] is None and not found["scheme"].lower().startswith("http"):
        return found[0]  # a database's user, whose password stands elsewhere
    return f"{found['scheme']}{found['user'] or ''}{SECRET}@"


def mask_secrets(text: str) -> tuple[str, int]:
    """The text with every secret replaced by `[secret]`, and how many there were.

    Masking twice is masking once.
    """
    count = 0

    def replace(found: re.Match[str], check: Callable[[re.Match[str]], bool]) -> str:
        nonlocal count
        named = "v" in found.re.groupindex
        value = found["v"] if named else found[0]
        if value is None or SECRET in value or not check(found):
            return found[0]
        count += 1
        if not named:
            return SECRET
        start, end = (at - found.start() for at in found.span("v"))
        return found[0][:start] + SECRET + found[0][end:]

    folded = text.lower()
    is_long = _LONG_WORD.search(text) is not None
    rules, needed = (RULES, _NEEDED) if is_long else (_SHORT_RULES, _NEEDED_SHORT)
    said = {word for word in needed if word in folded}
    for rule in rules:
        if said.isdisjoint(rule.needs):
            continue
        check = rule.check
        text = rule.compile().sub(lambda found, check=check: replace(found, check), text)  # type: ignore[misc]
    return text, count
