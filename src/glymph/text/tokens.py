"""About how many tokens a text takes: four characters each, or one each in scripts that need no
spaces.
"""

from __future__ import annotations

import re

CHARACTERS = 4
_DENSE = re.compile("[\u2e80-\U0010ffff]")  # from this code point on a character is about a token


def tokens(text: str) -> int:
    """About how many tokens a text takes; never less than one for a text that is not empty."""
    dense = 0 if text.isascii() else len(_DENSE.findall(text))
    return dense + -(-(len(text) - dense) // CHARACTERS)
