"""Masks secrets in a text before it leaves the machine or is stored."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from glymph.text.secret_rules import RULES

SECRET = "[secret]"
SHORTEST = 8  # characters of a text that can say one
_NEEDED = frozenset(word for rule in RULES for word in rule.needs)


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
    said = {word for word in _NEEDED if word in folded}
    for rule in RULES:
        if said.isdisjoint(rule.needs):
            continue
        check = rule.check
        text = rule.pattern.sub(lambda found, check=check: replace(found, check), text)  # type: ignore[misc]
    return text, count
