"""A whole space at one moment, read row by row, with keys as they were before any load."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from glymph.store.contract import JOURNALLED, Filter, Row, Session
from glymph.store.portable import BIRTH_ORDER, CARRIED, move_keys
from glymph.store.reader import Reader
from glymph.store.seals import seal
from glymph.text.query import Words

ALL_STATES = ("LIVE", "ARCHIVED", "TRASHED")
ENTRIES_AT_ONCE = 5_000

# What only grows, or is changed by operations, is known by its count and by the newest of those.
_GROWING = ("operations", "journal", "vectors", "messages")
_UNTOLD = tuple(table for table in CARRIED if table not in (*JOURNALLED, *_GROWING))


@dataclass(frozen=True, slots=True)
class SealedOperation:
    """An operation with what seals it: its journal entries, and its children with their seals.

    Keys are those of a dump.
    """

    operation: Row
    entries: Sequence[tuple[Any, ...]]
    children: Sequence[Row]  # hash, changes and edits of each

    def seal(self) -> str:
        """Returns the seal that the operation has if nobody has altered it."""
        return seal(self.operation, self.entries, {}, [child["hash"] for child in self.children])


class Past(NamedTuple):
    """A row of a journalled table, None if it is gone, with its journal entries, oldest first."""

    key: int
    row: Row | None
    entries: Sequence[Row]


def join_pasts(rows: Iterable[Row], entries: Iterable[Row]) -> Iterator[Past]:
    """Joins the rows of one table with its journal entries; both come in the order of keys."""
    present = iter(rows)
    told = ((key, list(some)) for key, some in groupby(entries, key=itemgetter("key")))
    row, past = next(present, None), next(told, None)
    while row is not None or past is not None:
        if row is not None and (past is None or row["key"] < past[0]):
            yield Past(row["key"], row, ())
            row = next(present, None)
        elif past is not None:
            matches = row is not None and row["key"] == past[0]
            yield Past(past[0], row if matches else None, past[1])
            row, past = next(present, None) if matches else row, next(told, None)


class Snapshot:
    """A whole space over a session inside a transaction that sees one moment.

    `hint` gives what a database wants to be written behind a table's name so that so many rows of a
    space are read in the order of keys without being sorted in memory.
    """

    def __init__(
        self,
        session: Session,
        space: str,
        space_id: int,
        *,
        record: Mapping[str, Any],
        hint: Callable[[int], str],
    ) -> None:
        session.show(space_id)
        self._session = session
        self._reader = Reader(session, space, space_id)
        self._space_id = space_id
        self._offsets = key_offsets(record)
        self._hint = hint
        # The mark it was given when it came from another store.
        self.arrived: str | None = record.get(ARRIVED)

    def counts(self) -> dict[str, int]:
        return {table: self._count(table) for table in CARRIED}

    def highest(self) -> dict[str, int]:
        """Returns the highest key of each table, those of rows only in the journal included."""
        found = {
            table: self._value(f"SELECT max(key) FROM {table} WHERE space_id = :space")
            for table in CARRIED
        }
        told = "SELECT tbl, max(key) FROM journal WHERE space_id = :space GROUP BY tbl"
        for table, key in self._session.tuples(told, {"space": self._space_id}):
            found[table] = max(found[table] or 0, key)
        del found["journal"]
        return {
            table: key - self._offsets.get(table, 0)
            for table, key in found.items()
            if key is not None
        }

    def stamp(self) -> str:
        """Returns a text that differs as soon as anything of the space does that `rows` gives."""
        facts = [
            self._value("SELECT max(key) FROM operations WHERE space_id = :space"),
            self._value("SELECT count(*) FROM operations WHERE space_id = :space AND hash = ''"),
            self._value("SELECT max(key) FROM vectors WHERE space_id = :space"),
            *(self._count(table) for table in _GROWING),
        ]
        digest = hashlib.sha256(json.dumps([self.identity(), *facts]).encode())
        for table, row in self.rows(tables=_UNTOLD):
            digest.update(canonical(table, row))
        return digest.hexdigest()

    def identity(self) -> str:
        """Returns the id of its identity memory."""
        return str(self._reader.identity()["id"])

    def count_unsettled(self) -> int:
        """Returns how many erase certificates are not complete; those never leave their store."""
        return int(
            self._value(
                "SELECT count(*) FROM certificates WHERE space_id = :space AND completed_at IS NULL"
            )
        )

    def rows(
        self, *, tables: Collection[str] = BIRTH_ORDER, skip: Mapping[str, int] | None = None
    ) -> Iterator[tuple[str, Row]]:
        """Yields rows as (table, row), parents before children, in the order of keys.

        `skip` says how many of a table's first rows are left out; their order is the same as long
        as the stamp is.
        """
        for table in CARRIED:
            if table not in tables:
                continue
            order = "id" if table == "journal" else "key"
            done = (skip or {}).get(table, 0)
            rest = " LIMIT 9223372036854775807 OFFSET :done" if done else ""
            sql = (
                f"SELECT * FROM {table}{self._hint(self._count(table))} "
                f"WHERE space_id = :space{_which(table)} ORDER BY {order}{rest}"
            )
            for row in self._session.each(
                sql, {"space": self._space_id} | ({"done": done} if done else {})
            ):
                own = {name: value for name, value in row.items() if name != "space_id"}
                yield table, move_keys(table, own, self._offsets, -1)

    def match(self, words: Words, *, limit: int) -> set[int]:
        """Returns keys of memories, in whatever state, whose text holds any of the words."""
        wanted = Filter(states=ALL_STATES, include_superseded=True)
        away = self._offsets.get("memories", 0)
        return {key - away for key, _ in self._reader.match(words, wanted, limit=limit)}

    def sealed_operations(self) -> Iterator[SealedOperation]:
        """Yields each operation with what seals it, oldest first, a bounded number at a time."""
        for batch in _batch_by_changes(self.rows(tables=("operations",))):
            away = self._offsets.get("operations", 0)
            ends = {
                "space": self._space_id,
                "first": batch[0]["key"] + away,
                "last": batch[-1]["key"] + away,
            }
            entries: dict[int, list[tuple[Any, ...]]] = defaultdict(list)
            for row in self._session.each(
                "SELECT * FROM journal WHERE space_id = :space AND operation BETWEEN :first AND "
                ":last ORDER BY id",
                ends,
            ):
                e = move_keys("journal", row, self._offsets, -1)
                entries[e["operation"]].append(
                    (e["tbl"], e["key"], e["action"], e["image"], e["after"])
                )
            children: dict[int, list[Row]] = defaultdict(list)
            for child in self._session.rows(
                "SELECT parent, hash, changes, edits FROM operations "
                "WHERE space_id = :space AND parent BETWEEN :first AND :last ORDER BY key",
                ends,
            ):
                children[child["parent"] - away].append(child)
            for operation in batch:
                key = operation["key"]
                yield SealedOperation(operation, entries.get(key, []), children.get(key, []))

    def pasts(self, table: str) -> Iterator[Past]:
        """Yields the rows of a journalled table, gone ones too, with their journal, by key."""
        sql = "SELECT * FROM journal WHERE space_id = :space AND tbl = :tbl ORDER BY key, id"
        entries = self._session.each(sql, {"space": self._space_id, "tbl": table})
        return join_pasts(
            (row for _, row in self.rows(tables=(table,))),
            (move_keys("journal", entry, self._offsets, -1) for entry in entries),
        )

    def lost_entries(self) -> Iterator[tuple[int, int]]:
        """Yields operations that are not there although the journal has entries of them, and how
        many.
        """
        sql = (
            "SELECT j.operation, count(*) FROM journal j WHERE j.space_id = :space AND NOT EXISTS "
            "(SELECT 1 FROM operations o WHERE o.space_id = :space AND o.key = j.operation) "
            "GROUP BY j.operation"
        )
        away = self._offsets.get("operations", 0)
        for operation, count in self._session.tuples(sql, {"space": self._space_id}):
            yield operation - away, count

    def _count(self, table: str) -> int:
        return int(
            self._value(f"SELECT count(*) FROM {table} WHERE space_id = :space{_which(table)}")
        )

    def _value(self, sql: str) -> Any:
        return self._session.tuples(sql, {"space": self._space_id})[0][0]


# What is kept in `spaces.offsets` besides how far keys were moved, by table.
ARRIVED = "arrived"  # the checksum of the space when it came here from another store
NOTE = "note"  # of a load that goes on: what its caller wants to be told when it is taken up again


def key_offsets(record: Mapping[str, Any]) -> dict[str, int]:
    """Returns how far the keys of each table were moved, from the record of a space."""
    return {table: moved_by for table, moved_by in record.items() if table in CARRIED}


def canonical(table: str, row: Row) -> bytes:
    """Returns a row as bytes that are the same whatever database it comes from."""
    text = json.dumps(
        [table, row], ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=bytes.hex
    )
    return text.encode("utf-8", "surrogatepass")


def _which(table: str) -> str:
    """Returns a condition on the rows of a table that may leave their store.

    A certificate that is not complete is about bytes in the store it was made in.
    """
    return " AND completed_at IS NOT NULL" if table == "certificates" else ""


def _batch_by_changes(rows: Iterable[tuple[str, Row]]) -> Iterator[Sequence[Row]]:
    """Yields operations in batches of about as many changes as may be held at once."""
    batch: list[Row] = []
    weight = 0
    for _, row in rows:
        batch.append(row)
        weight += 1 + row["changes"]
        if weight >= ENTRIES_AT_ONCE:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch
