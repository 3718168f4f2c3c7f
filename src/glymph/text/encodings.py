"""What a text says in encodings: in base64 or base32, in hexadecimal digits, escaped, sign by sign.

What is decoded by chance from ordinary words is noise, so this is for who compares it with
something known. Every way takes time that is linear in the text.
"""

from __future__ import annotations

import binascii
import re
from base64 import b32decode, b64decode
from collections.abc import Iterator
from urllib.parse import unquote

from glymph.text.patterns import compile_late

LAYERS = 3  # of encodings, one within the other
LEAST = 5  # characters of what is decoded

_BASE64 = compile_late(r"[A-Za-z0-9+/_-]{7,}")
_PARTS = compile_late(r"[/_-]")  # may belong to an alphabet, or stand before what is encoded
_BASE32 = compile_late(r"(?<![A-Za-z0-9])[A-Z2-7]{8,}")
_HEX = compile_late(
    r"(?<![0-9A-Za-z])(?:0[xX])?[0-9a-fA-F]{2}(?:[ :,;.-]{0,2}(?:\\x|=|%|0x)?[0-9a-fA-F]{2}){4,}"
)
_PAIR = compile_late(r"(?:0[xX])?([0-9a-fA-F]{2})")
_ESCAPED = compile_late(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\})")
_READABLE = compile_late(r"[^\x00-\x1f\x7f-\x9f\ufffd]{5,}")
_WORD = compile_late(r"[^\W_]")
_BARE_WORD = compile_late(r"[^\W\d_]+")
_APART = compile_late(
    r"(?<!\w)\S(?:\s{1,3}\S){6,}(?!\w)|(?<![A-Za-z0-9])\S([^A-Za-z0-9\s@])(?:.\1){5,}\S?"
)
_GAP = compile_late(r"\s+")


def read_encoded(text: str) -> list[str]:
    """Returns the texts that a text says in encodings, each once; mostly none."""
    found: dict[str, None] = {}
    layer = [text]
    for _ in range(LAYERS):
        layer = [said for one in layer for said in _decode(one) if said not in found]
        found |= dict.fromkeys(layer)
    return list(found)


def _decode(text: str) -> Iterator[str]:
    """Yields what each encoding makes of a text, as far as that is another text."""
    ways = (_read_hex(text), _read_base32(text), _read_base64(text), _read_apart(text))
    for way in ways:
        if pieces := [piece for piece in way if _WORD.search(piece)]:
            yield "\n".join(pieces)
    if (plain := _unescape(text)) != text:
        yield plain


def _unescape(text: str) -> str:
    """Returns a text with plain signs for those that are escaped for addresses, pages, programs."""
    if "%" in text:
        text = unquote(text)
    if "&" in text:
        from html import unescape  # its table of two thousand names is rarely needed

        text = unescape(text)
    return _ESCAPED.sub(_read_escaped, text) if "\\" in text else text


def _read_escaped(found: re.Match[str]) -> str:
    code = int(found[1] or found[2] or found[3], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else found[0]


def _read_hex(text: str) -> Iterator[str]:
    for found in _HEX.finditer(text):
        yield from _read_bytes(bytes.fromhex("".join(_PAIR.findall(found[0]))))


def _read_base32(text: str) -> Iterator[str]:
    for found in _BASE32.finditer(text):
        # Of the last group, what no whole byte is in is left out.
        piece = found[0][: len(found[0]) - (len(found[0]) % 8 in (1, 3, 6))]
        try:
            yield from _read_bytes(b32decode(piece + "=" * (-len(piece) % 8)))
        except binascii.Error:
            continue


def _read_base64(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        parts = _PARTS.split(found[0])
        for piece in (found[0], *(parts if len(parts) > 1 else ())):
            bare = piece.replace("-", "+").replace("_", "/")
            bare = bare[: len(bare) - (len(bare) % 4 == 1)]
            yield from _read_bytes(b64decode(bare + "=" * (-len(bare) % 4)))


def _read_bytes(body: bytes) -> Iterator[str]:
    """Yields what can be read of bytes; words alone are what other words look like by chance."""
    if body.count(0) * 2 >= len(body) - 1:
        body = body.replace(b"\0", b"")  # two bytes a character
    for said in _READABLE.findall(body.decode(errors="replace")):
        if not _BARE_WORD.fullmatch(said):
            yield said


def _read_apart(text: str) -> Iterator[str]:
    """Yields what is written sign by sign, with a gap or the same mark between every two."""
    for found in _APART.finditer(text):
        yield found[0][::2] if found[1] else _GAP.sub("", found[0])
