"""The part of a reader about operations and their journal."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from glymph.store.contract import Row
from glymph.store.journal import Entry, Place
from glymph.store.statements import SpaceStatements

# Counters: operations up to which the journal is folded.
FOLDED_UPTO = "journal_folded_operation"
USES_FOLDED_UPTO = "uses_folded_operation"


class JournalReader(SpaceStatements):
    """Operations, what they changed, and rows as they are now."""

    def operation(self, operation_id: str) -> Row | None:
        return self._one("operation_by_id", id=operation_id)

    def operation_by_key(self, key: int) -> Row | None:
        return self._one("operation_by_key", key=key)

    def operations(
        self,
        *,
        limit: int,
        before: int | None = None,
        actor: str | None = None,
        session: str | None = None,
        verb: str | None = None,
        children_of: int | None = None,
    ) -> list[Row]:
        """Returns operations, newest first."""
        return self._rows(
            "operations", limit=limit, before=before, actor=actor, session=session, verb=verb,
            parent=children_of,
        )  # fmt: skip

    def children(self, key: int) -> list[Row]:
        """Returns key, counts and seal of the parts of a bulk operation, oldest first."""
        return self._rows("children", key=key)

    def operation_count(self) -> int:
        return int(self._value("operation_count"))

    def operations_by_hash(self, hash: str) -> list[Row]:
        return self._rows("operations_by_hash", hash=hash)

    def newest_undoable(self, actor: str) -> Row | None:
        """Returns the actor's newest operation that changed content, state or links and stands."""
        before: int | None = None
        while candidates := self._rows("undo_candidates", actor=actor, before=before):
            for row in candidates:
                if self.undone_by(row["key"]) is None:
                    return row
            before = candidates[-1]["key"]
        return None

    def undone_by(self, key: int) -> Row | None:
        """Returns the undo of this operation that still stands, if any."""
        # Newest first: whether an undo stands is known before what it undoes is looked at.
        undone: dict[int, int] = {}
        for row in self._rows("undos_of", key=key):
            if row["key"] not in undone:
                undone[row["undoes"]] = row["key"]
        return self.operation_by_key(undone[key]) if key in undone else None

    def last_operation_at_or_before(self, at: int) -> int:
        """Returns the key of the newest operation not after a moment; 0 if there is none."""
        return int(self._value("last_operation_at_or_before", at=at))

    # how far it is folded

    def folded_upto(self) -> int:
        """Returns the last operation before which nothing of the past is known; 0 if all is."""
        return int(self._value("counter", name=FOLDED_UPTO) or 0)

    def uses_folded_upto(self) -> int:
        """Returns the last operation before which single uses are not known; 0 if all are."""
        return max(int(self._value("counter", name=USES_FOLDED_UPTO) or 0), self.folded_upto())

    def last_of(self, upto: int) -> Row | None:
        """Returns the last operation that is there up to this one, of it and those before it."""
        found = self.operations(limit=1, before=upto + 1)
        return found[0] if found else None

    def fold_horizon(self, before: int, upto: int) -> int:
        """Returns the last operation that a fold of what was done before a moment may reach.

        What is dated up to `upto` is later than that; what is dated beyond is of a wrong clock.
        """
        newest = self._value("newest_change") or 0
        return int(self._value("fold_horizon", before=before, upto=upto, newest=newest))

    def fold_step(self, after: int, upto: int, *, entries: int) -> int:
        """Returns the operation up to which so many entries, or one operation, can be folded."""
        there = self._value("fold_boundary", after=after, upto=upto, entries=entries)
        if there is None:
            return upto
        first = self._value("fold_boundary", after=after, upto=upto, entries=0)
        return int(there if there == first else there - 1)

    def touched_by(
        self, operations: Sequence[int], *, most: int
    ) -> list[tuple[int, str, int, int]]:
        """Returns operation, table and key of the first rows each touched, and how many they are.

        Those of chunks count for their parent.
        """
        found: list[Any] = self._tuples("touched_by", operations=list(operations), most=most)
        return found

    def entries(self, operations: Sequence[int]) -> list[Entry]:
        return self._entries("entries_of_operations", operations=list(operations))

    def entries_after(
        self, places: Sequence[Place], entry: int, *, without: Sequence[int] = ()
    ) -> list[Entry]:
        """Returns entries of these rows with an id above `entry`, oldest first.

        Those of the operations in `without` are left out.
        """
        found: list[Entry] = []
        for table, keys in _keys_by_table(places).items():
            found += self._entries(
                "entries_of_rows_after", tbl=table, keys=keys, entry=entry, without=list(without)
            )
        return found

    def entries_since(self, table: str, operation: int) -> list[Entry]:
        """Returns entries of a table by operations after the given one, oldest first."""
        return self._entries("entries_of_table_since", tbl=table, operation=operation)

    def _entries(self, statement: str, /, **parameters: Any) -> list[Entry]:
        return [
            Entry(entry, operation, table, key, action, json.loads(image))
            for entry, operation, table, key, action, image in self._tuples(statement, **parameters)
        ]

    def history(self, memory_key: int) -> list[Row]:
        return self._rows("history_of_memory", key=memory_key)

    def rows(self, places: Sequence[Place]) -> dict[Place, Row]:
        """Returns rows of journalled tables as they are, without their keys."""
        found: dict[Place, Row] = {}
        for table, keys in _keys_by_table(places).items():
            for row in self._session.rows(rows_of(table), {"keys": keys}):
                values = dict(row)
                key = values.pop("key")
                del values["space_id"]
                found[table, key] = values
        return found


def rows_of(table: str) -> str:
    """Writes the statement for rows of a table by their keys."""
    return f"SELECT * FROM scoped_{table} WHERE key IN {{keys:keys}}"


def _keys_by_table(places: Iterable[Place]) -> dict[str, list[int]]:
    keys: dict[str, list[int]] = defaultdict(list)
    for table, key in places:
        keys[table].append(key)
    return keys
