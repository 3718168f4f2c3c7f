"""Reads single values of other programs: moments in any common form, texts under common names."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

MILLISECONDS_FROM = 10**11  # a moment as a number this large counts milliseconds
FIRST_YEAR, LAST_YEAR = 1970, 2200  # a moment outside is a mistake
TEXTS = (
    "text", "memory", "content", "fact", "note", "data", "document", "body", "observation",
    "summary", "message", "value",
)  # fmt: skip
CREATED = ("created_at", "createdAt", "created", "timestamp", "date", "create_time", "time", "at")
UPDATED = ("updated_at", "updatedAt", "modified_at", "modified", "update_time")
USED = ("last_used_at", "last_accessed_at", "last_accessed", "accessed_at")
IDS = ("id", "uuid", "memory_id", "key", "hash")
TITLES = ("title", "name", "subject")
TAGS = ("tags", "labels", "categories", "category")
_DIGEST = 16


def read_moment(value: object) -> datetime | None:
    """Returns a moment told as a number of seconds or milliseconds, or in ISO form; else None.

    One without a time zone is taken for UTC.
    """
    if isinstance(value, bool) or value is None:
        return None
    try:
        if isinstance(value, str):
            if not _is_number(value):
                return _within(datetime.fromisoformat(value.strip()))
            value = float(value)
        if isinstance(value, int | float):
            seconds = value / 1000 if abs(value) >= MILLISECONDS_FROM else value
            return _within(datetime.fromtimestamp(seconds, UTC))
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _is_number(text: str) -> bool:
    return text.strip().replace(".", "", 1).isdigit() and len(text.strip()) > len("20251231")


def _within(found: datetime) -> datetime | None:
    aware = found.replace(tzinfo=UTC) if found.utcoffset() is None else found
    return aware if FIRST_YEAR <= aware.year <= LAST_YEAR else None


def find_moment(record: Mapping[str, Any], names: tuple[str, ...]) -> datetime | None:
    """Returns the first moment that a record has under one of these names."""
    return next((at for name in names if (at := read_moment(record.get(name)))), None)


def find_text(record: Mapping[str, Any]) -> str | None:
    """Returns the text of a record, under whichever common name it stands, or inside of it."""
    for name in TEXTS:
        value = record.get(name)
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, Mapping) and (inner := find_text(value)) is not None:
            return inner
    return None


def find_word(record: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    """Returns the first value that is a text or a number, as text."""
    for name in names:
        value = record.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    return None


def read_number(value: object) -> float | None:
    """Returns a number above 0, also one told as text; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if 0 < found < math.inf else None


def read_words(value: object) -> tuple[str, ...]:
    """Returns tags given as a list, as JSON, or as a text with commas."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.lstrip().startswith("[") else value.split(",")
        except ValueError:
            value = [value]
    if not isinstance(value, list | tuple):
        return ()
    words = (" ".join(str(one).split()) for one in value if isinstance(one, str | int))
    return tuple(word for word in words if word)


def name_by_text(text: str) -> str:
    """Returns an id for a text whose source gives it none: the same for the same text."""
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:_DIGEST]
