"""Makes a memory of a record whose fields have common names: text, id, created_at, tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.decay.sections import IDENTITY_KIND, KINDS, SUMMARY_KIND
from glymph.importers import values
from glymph.importers.contract import Item

_COUNTS = ("access_count", "uses", "count")
_KNOWN = {
    *values.CREATED, *values.UPDATED, *values.USED, *values.IDS, *values.TITLES, *values.TAGS,
    *_COUNTS,
}  # fmt: skip
# As Glymph means them: days, and a kind that others may make. What says something else stays a text
# about the memory.
_STABILITY, _KIND = "stability", "kind"
_GIVEN_KINDS = frozenset(KINDS) - {IDENTITY_KIND, SUMMARY_KIND}


def make_item(record: Mapping[str, Any], place: str) -> Item | None:
    """Returns the memory of a record; None if no field of it is a text."""
    text = values.find_text(record)
    if text is None:
        return None
    count = values.find_word(record, _COUNTS) or ""
    tags = next((record[name] for name in values.TAGS if record.get(name)), None)
    stability = values.read_number(record.get(_STABILITY))
    kind = values.find_word(record, (_KIND,))
    kind = kind if kind in _GIVEN_KINDS else None
    taken = _KNOWN | ({_STABILITY} if stability else set()) | ({_KIND} if kind else set())
    return Item(
        text, values.find_word(record, values.IDS) or values.name_by_text(text), place,
        title=values.find_word(record, values.TITLES),
        kind=kind or "note",
        created_at=values.find_moment(record, values.CREATED),
        updated_at=values.find_moment(record, values.UPDATED),
        last_used_at=values.find_moment(record, values.USED),
        access_count=int(count) if count.isdigit() else 0,
        stability=stability, tags=values.read_words(tags),
        about={
            name: value
            for name, value in record.items()
            if isinstance(name, str) and name not in taken and value != text
        },
    )  # fmt: skip
