"""Makes a memory of a record whose fields have common names: text, id, created_at, tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.importers import values
from glymph.importers.contract import Item

_COUNTS = ("access_count", "uses", "count")
_KNOWN = {
    *values.CREATED, *values.UPDATED, *values.USED, *values.IDS, *values.TITLES, *values.TAGS,
    *_COUNTS,
}  # fmt: skip


def make_item(record: Mapping[str, Any], place: str) -> Item | None:
    """Returns the memory of a record; None if no field of it is a text."""
    text = values.find_text(record)
    if text is None:
        return None
    count = values.find_word(record, _COUNTS) or ""
    tags = next((record[name] for name in values.TAGS if record.get(name)), None)
    return Item(
        text, values.find_word(record, values.IDS) or values.name_by_text(text), place,
        title=values.find_word(record, values.TITLES),
        created_at=values.find_moment(record, values.CREATED),
        updated_at=values.find_moment(record, values.UPDATED),
        last_used_at=values.find_moment(record, values.USED),
        access_count=int(count) if count.isdigit() else 0, tags=values.read_words(tags),
        about={
            name: value
            for name, value in record.items()
            if isinstance(name, str) and name not in _KNOWN and value != text
        },
    )  # fmt: skip
