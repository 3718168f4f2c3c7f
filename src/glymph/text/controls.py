"""Characters that would steer a terminal or turn a line round: a memory's text is data."""

from __future__ import annotations

from glymph.text.patterns import compile_late

TAB, LINE_FEED = 9, 10
# What moves the cursor or begins a sequence of commands (C0, DEL, C1), what shows the text behind
# it in another order than it has, and breaks that are no line feed.
_STEERING = (*range(32), *range(127, 160), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_BREAKS = (0x2028, 0x2029)
_REPLACED = {
    code: "\N{REPLACEMENT CHARACTER}"
    for code in (*_STEERING, *_BREAKS)
    if code not in (TAB, LINE_FEED)
}
# What nobody sees and a model reads: tags, except those of a flag, and bytes written as variation
# selectors. One selector behind a character is part of how that is written; those of the long row
# only stand behind Chinese characters.
_UNSEEN = compile_late(
    "(?P<flag>\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{2,6}\U000e007f)"
    "|[\U000e0000-\U000e007f]+"
    "|(?<![\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]+"
    "|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
_IN_JSON = {code: f"\\u{code:04x}" for code in _REPLACED} | {
    code: f"\\udb40\\u{0xDC00 + code - 0xE0000:04x}" for code in range(0xE0000, 0xE01F0)
}


def remove_controls(text: str) -> str:
    """Returns the text with what steers replaced, except tab and line feed.

    What nobody would see of it is left out.
    """
    if text.isascii():
        return text if text.isprintable() else text.translate(_REPLACED)
    return _UNSEEN.sub(lambda found: found["flag"] or "", text.translate(_REPLACED))


def escape_controls(document: str) -> str:
    """Returns a JSON document with what steers written as escapes: it says the same.

    Its own line breaks stay.
    """
    if document.isascii() and "\x7f" not in document:
        return document
    return document.translate(_ESCAPED)


_ESCAPED = {code: text for code, text in _IN_JSON.items() if code > 126}
