"""The rows of a space in a form that any store can take in: tables in order, integer keys moved by offsets."""

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
    "journal": {"id": "journal", "operation": "operations"},
}


def moved(table: str, row: Mapping[str, Any], offsets: Mapping[str, int], sign: int) -> dict[str, Any]:
    """The row with its keys and references moved by the offsets; sign -1 moves them back."""
    result = dict(row)
    if not any(offsets.values()):
        return result
    for column, target in _KEYS.get(table, {"key": table}).items():
        if result[column] is not None:
            result[column] += sign * offsets.get(target, 0)
    if table == "journal":
        result["key"] += sign * offsets.get(row["tbl"], 0)
        result["image"] = move_image(row["tbl"], row["image"], offsets, sign)
    return result
