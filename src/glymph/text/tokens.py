"""Estimates tokens: four characters each, or one each in scripts without spaces."""

from __future__ import annotations

from glymph.text.patterns import compile_late
from glymph.text.words import DENSE

CHARACTERS = 4
_DENSE = compile_late(f"[{chr(DENSE)}-\U0010ffff]")


def tokens(text: str) -> int:
    """About how many tokens a text takes; never less than one for a text that is not empty."""
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return dense + -(-(len(text) - dense) // CHARACTERS)
