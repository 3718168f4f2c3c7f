"""The rows of a space in a form that any store can take in: tables in order, keys moved by offsets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.store.writer import move_image

# Parents before children. Reversed, the order in which a space can be taken apart.
BIRTH_ORDER = (
    "operations", "memories", "edges", "clusters", "memberships", "pages", "journal", "recalls", "tombstones",
    "plans", "schedules", "counters", "queue", "ledger",
)  # fmt: skip

_KEYS: Mapping[str, Mapping[str, str]] = {
    "operations": {"key": "operations", "parent": "operations", "undoes": "operations"},
    "edges": {"key": "edges", "source": "memories", "target": "memories"},
    "memberships": {"key": "memberships", "cluster": "clusters", "memory": "memories"},
    "journal": {"operation": "operations"},
}


def moved(table: str, row: Mapping[str, Any], offsets: Mapping[str, int], sign: int) -> dict[str, Any]:
    """The row with its keys and references moved by the offsets; sign -1 moves them back.

    Journal entries have an order but no key worth keeping.
    """
    result = dict(row)
    if table == "journal":
        result.pop("id", None)
    if not any(offsets.values()):
        return result
    for column, target in _KEYS.get(table, {"key": table}).items():
        if result[column] is not None:
            result[column] += sign * offsets.get(target, 0)
    if table == "journal":
        result["key"] += sign * offsets.get(row["tbl"], 0)
        result["image"] = move_image(row["tbl"], row["image"], offsets, sign)
    return result


def note_keys(highest: dict[str, int], table: str, row: Mapping[str, Any]) -> None:
    """Keeps the highest key of each table, those of rows that exist only in the journal included."""
    place = row["tbl"] if table == "journal" else table
    highest[place] = max(highest.get(place, 0), row["key"])
