"""What loading and deleting whole spaces needs besides statements."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from glymph import errors
from glymph.store.backends.sqlite.connection import Connection
from glymph.store.statements import statements

_TYPES: Mapping[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}


def columns(connection: Connection, table: str) -> dict[str, tuple[type, ...]]:
    own = {"space_id", "id"} if table == "journal" else {"space_id"}
    return {
        name: _TYPES[kind] if required or key else (*_TYPES[kind], type(None))
        for _, name, kind, required, _, key in connection.raw.execute(f"PRAGMA table_info({table})")
        if name not in own
    }


def sign_of_life(connection: Connection, space_id: int) -> None:
    """Keeps a load that goes on from being taken for the leftover of one that was killed."""
    connection.raw.execute("UPDATE spaces SET created_at = ? WHERE key = ?", (now_for_the_record(), space_id))
    if not connection.raw.changes():
        raise errors.StoreError("This import stood still for an hour and was swept away. Repeat it.")


def reserve(connection: Connection, table: str, count: int) -> int:
    """Sets aside the next `count` keys of a table, so that writers meanwhile take others; the offset."""
    found = connection.tuples("SELECT seq FROM sqlite_sequence WHERE name = :name", {"name": table})
    parameters = {"name": table, "count": count}
    if found:
        connection.rows("UPDATE sqlite_sequence SET seq = seq + :count WHERE name = :name", parameters)
    else:
        connection.rows("INSERT INTO sqlite_sequence(name, seq) VALUES (:name, :count)", parameters)
    return int(found[0][0]) if found else 0


@contextmanager
def unjournalled(connection: Connection, space_id: int, verb: str) -> Iterator[None]:
    """Lets rows of a space come or go with their own journal, outside any operation of it."""
    head = {"space_id": space_id, "operation": 0, "verb": verb}
    connection.rows(statements()["begin_writing"], head)
    yield
    connection.rows(statements()["end_writing"], {})


def now_for_the_record() -> int:
    """When a migration or an import ran; a fact about the file, never part of a memory."""
    return time.time_ns() // 1000
