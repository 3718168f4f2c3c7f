"""The rows of a space held in memory, as of an export that must be filtered before it is loaded."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from glymph.store.contract import Row
from glymph.store.portable import BIRTH_ORDER
from glymph.store.snapshots import Past, SealedOperation, join_pasts


class Gathered:
    """Rows by table, looked at as those of a snapshot are."""

    def __init__(self, tables: Mapping[str, list[Row]]) -> None:
        self._tables = tables

    def rows(self, *, tables: Collection[str]) -> Iterator[tuple[str, Row]]:
        return ((name, row) for name in BIRTH_ORDER if name in tables for row in self._of(name))

    def pasts(self, table: str) -> Iterator[Past]:
        entries = (entry for entry in self._of("journal") if entry["tbl"] == table)
        return join_pasts(
            sorted(self._of(table), key=_key), sorted(entries, key=_key)  # of one row as they came
        )  # fmt: skip

    def sealed_operations(self) -> Iterator[SealedOperation]:
        entries: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
        for e in self._of("journal"):
            entries[e["operation"]].append(
                (e["tbl"], e["key"], e["action"], e["image"], e["after"])
            )
        children: dict[int, list[Row]] = defaultdict(list)
        for operation in self._of("operations"):
            if operation["parent"] is not None:
                children[operation["parent"]].append(operation)
        for operation in sorted(self._of("operations"), key=_key):
            key = operation["key"]
            yield SealedOperation(operation, entries.get(key, []), children.get(key, []))

    def lost_entries(self) -> Iterator[tuple[int, int]]:
        known = {operation["key"] for operation in self._of("operations")}
        counts = Counter(entry["operation"] for entry in self._of("journal"))
        return ((key, count) for key, count in counts.items() if key not in known)

    def _of(self, table: str) -> list[Row]:
        return self._tables.get(table, [])


def _key(row: Row) -> int:
    key: int = row["key"]
    return key
