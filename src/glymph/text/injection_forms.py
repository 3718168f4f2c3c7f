"""The forms in which an order may hide: look-alikes, unseen characters, and encodings."""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Iterator
from urllib.parse import unquote

from glymph.text.patterns import compile_late
from glymph.text.scripts import flat

HIDDEN = "to hide a text from people that a model reads"
MOST_DECODED = 20  # pieces of one text
LONGEST_PIECE = 4_000  # characters of an encoded piece
PRINTABLE = 0.9  # of what was decoded, by which it is a text

# Tags that spell a text (those of a flag follow a flag), bytes as variation selectors, bits as
# unseen characters, and overrides that show letters in another order than they have.
_UNSEEN = compile_late(
    "(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0001-\U000e007f]{3}"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{4}"
    "|[\u200b-\u200d\u2060-\u2064\ufeff]{16}"
    "|[\u202d\u202e]"
)
_LATIN_MARKS = compile_late("(?<=[A-Za-z])[\u0300-\u036f]+")
_BASE64 = compile_late(r"(?<![\w+/-])[A-Za-z0-9+/_-]{16,4000}={0,2}(?![\w+/-])")
_BASE32 = compile_late(r"(?<![\w])[A-Z2-7]{24,4000}={0,6}(?![\w])")
_HEX = compile_late(r"(?<![\w])(?:[0-9a-fA-F]{2}){12,2000}(?![\w])")
_ESCAPED = compile_late(r"(?:\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}){6,}")
_PERCENT = compile_late(r"(?:%[0-9a-fA-F]{2}){6}")
_ENTITIES = compile_late(r"(?:&#x?[0-9a-fA-F]{2,6};){6}|&lt;")
_BRAILLE = compile_late("[\u2800-\u28ff]{8,}")
_SPACED = compile_late(r"(?<!\w)(?:\w(?: {1,3}|[.\-_*])){7,}\w(?!\w)")
_DIGITS_IN_WORDS = compile_late(r"[A-Za-z][013457@$][A-Za-z]|\b[013457][a-z]{2}")
_LEET = str.maketrans("013457@$", "oieastas")
_ROT13 = str.maketrans(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "NOPQRSTUVWXYZABCDEFGHIJKLMnopqrstuvwxyzabcdefghijklm",
)
# One of these stands in most orders; a text that has one backwards or turned is read so.
_TELLING = ("instruction", "ignore", "disregard", "prompt", "password", "secrets", "the user")


def hides_text(text: str) -> bool:
    """Tells whether a text holds characters by which it says something that nobody sees."""
    return not text.isascii() and _UNSEEN.search(text) is not None


def make_plain(text: str) -> str:
    """Returns a text in the characters that a model takes it for; lines stay lines.

    Width, styles and circles of letters, unseen characters, look-alikes of other scripts and
    accents of Latin letters are gone.
    """
    if text.isascii():
        return text
    plain = flat(unicodedata.normalize("NFKC", text))[0]
    bare = _LATIN_MARKS.sub("", unicodedata.normalize("NFD", plain))
    return unicodedata.normalize("NFC", bare).replace("\u0131", "i")


def decode_hidden(text: str, plain: str) -> Iterator[str]:
    """Yields what is said encoded, backwards, letter by letter or with figures for letters."""
    for found in _SPACED.finditer(plain):
        yield _close_up(found[0])
    if _DIGITS_IN_WORDS.search(plain):
        yield plain.translate(_LEET)
    turned, backwards = plain.translate(_ROT13), plain[::-1]
    for other in (turned, backwards):
        if any(word in other.lower() for word in _TELLING):
            yield other
    if _PERCENT.search(plain):
        yield unquote(plain)
    if _ENTITIES.search(plain):
        from html import unescape  # its table of two thousand names is rarely needed

        yield unescape(plain)
    yield from filter(None, _decode_pieces(text, plain))


def _close_up(spaced: str) -> str:
    """Returns words written letter by letter: a wider gap parts two words."""
    words = re.split(r" {2,}", spaced)
    return " ".join(re.sub(r"[ .\-_*]", "", word) for word in words)


def _decode_pieces(text: str, plain: str) -> Iterator[str | None]:
    ways: tuple[tuple[re.Pattern[str], str, Callable[[str], bytes]], ...] = (
        (_ESCAPED, plain, _unescape),
        (_HEX, plain, bytes.fromhex),
        (_BASE32, plain, lambda piece: base64.b32decode(piece + "=" * (-len(piece) % 8))),
        (_BASE64, plain, _decode_base64),
        (_BRAILLE, text, lambda piece: bytes(ord(one) - 0x2800 for one in piece)),
    )
    for pattern, where, decode in ways:
        for number, found in enumerate(pattern.finditer(where)):
            if number == MOST_DECODED:
                break
            try:
                yield _read_bytes(decode(found[0][:LONGEST_PIECE]))
            except (binascii.Error, ValueError):
                continue  # it only looks like this encoding


def _unescape(piece: str) -> bytes:
    codes = re.findall(
        r"[0-9a-fA-F]{4}|[0-9a-fA-F]{2}", piece.replace("\\x", " ").replace("\\u", " ")
    )
    return "".join(chr(int(code, 16)) for code in codes).encode(errors="replace")


def _decode_base64(piece: str) -> bytes:
    bare = piece.rstrip("=").replace("-", "+").replace("_", "/")
    bare = bare[: len(bare) - (len(bare) % 4 == 1)]
    return base64.b64decode(bare + "=" * (-len(bare) % 4))


def _read_bytes(body: bytes) -> str | None:
    """Returns bytes as a text; None if they are none."""
    text = body.decode(errors="replace")
    readable = sum(one.isprintable() and one != "\ufffd" for one in text)
    return make_plain(text) if readable >= PRINTABLE * len(text) else None
