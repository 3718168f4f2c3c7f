"""UUIDv7: ids that sort by the time they were made."""

from __future__ import annotations

import re

_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z")


def uuid7(at_micros: int, random: bytes) -> str:
    """Returns the UUIDv7 of a moment.

    48 bits of milliseconds, 10 of microseconds, 64 of the given 8 random bytes.

    Ten of the twelve bits after the version hold the microseconds (RFC 9562, method 3), so that ids
    made within one millisecond still sort by time.
    """
    milliseconds, rest = divmod(max(at_micros, 0), 1000)
    tail = int.from_bytes(random[:8], "big")
    first = (milliseconds & 0xFFFFFFFFFFFF) << 16 | 0x7000 | rest << 2 | tail >> 62
    second = 0b10 << 62 | tail & (1 << 62) - 1
    text = f"{first:016x}{second:016x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def is_uuid7(text: str) -> bool:
    return _PATTERN.match(text) is not None
