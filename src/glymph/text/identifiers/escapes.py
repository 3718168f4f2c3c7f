"""Signs of an address as programs write them: name%40host.example, name&#64;host.example."""

from __future__ import annotations

import re
from collections.abc import Sequence

# What an index keeps of an escaped sign: a word of its own, or the begin of the word behind it.
AT_APART = ("64", "064", "x40", "commat")
AT_GLUED = ("40", "2540", "x40", "u0040")
SIGNS_GLUED = ("2e", "2b", "2d", "5f")
_NAMED = {"commat": "@", "period": ".", "plus": "+", "lowbar": "_", "hyphen": "-", "dash": "-"}
_ESCAPE = re.compile(
    r"%(?:25){0,3}([0-7][0-9A-Fa-f])|&#[xX]0{0,6}([0-7][0-9A-Fa-f]);?"
    r"|&#0{0,6}([0-9]{2,3})(?:;|(?![0-9]))|\\u00([0-7][0-9A-Fa-f])|\\x([0-7][0-9A-Fa-f])"
    rf"|&({'|'.join(_NAMED)});"
)
_AT = re.compile(
    r"%(?:25){0,3}40|&#0{0,6}64(?![0-9])|&#[xX]0{0,6}40|&commat;|\\u0040|\\x40", re.IGNORECASE
)


def has_escaped_at(text: str) -> bool:
    """Tells whether a text may hold an address whose at sign is escaped."""
    return ("%" in text or "&" in text or "\\" in text) and _AT.search(text) is not None


def unescape(text: str) -> tuple[str, Sequence[int]]:
    """Returns the text with plain signs for escaped ones, and for each the place it came from.

    One place more than there are characters: the end of the text.
    """
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        char = _read(match)
        if not (char.isascii() and char.isprintable()):
            continue
        pieces += (text[at : match.start()], char)
        places += (*range(at, match.start()), match.start())
        at = match.end()
    return "".join((*pieces, text[at:])), (*places, *range(at, len(text) + 1))


def _read(match: re.Match[str]) -> str:
    if match[6]:
        return _NAMED[match[6]]
    code = int(match[3]) if match[3] else int(match[1] or match[2] or match[4] or match[5], 16)
    return chr(code)
