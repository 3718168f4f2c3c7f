"""Characters that would steer a terminal or turn a line round: a memory's text is data."""

from __future__ import annotations

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


def remove_controls(text: str) -> str:
    """Returns the text with its control characters replaced, except tab and line feed."""
    return text if text.isascii() and text.isprintable() else text.translate(_REPLACED)
