"""What loading whole spaces needs to know of SQLite."""

from __future__ import annotations

import time
from collections.abc import Mapping

from glymph.store.backends.sqlite.connection import Connection
from glymph.store.snapshots import SpaceSession

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


def reserve(connection: SpaceSession, table: str, count: int) -> int:
    """Sets aside the next `count` keys of a table, so that writers meanwhile take others; the
    offset.
    """
    found = connection.tuples("SELECT seq FROM sqlite_sequence WHERE name = :name", {"name": table})
    parameters = {"name": table, "count": count}
    if found:
        connection.rows(
            "UPDATE sqlite_sequence SET seq = seq + :count WHERE name = :name", parameters
        )
    else:
        connection.rows("INSERT INTO sqlite_sequence(name, seq) VALUES (:name, :count)", parameters)
    return int(found[0][0]) if found else 0


def now_for_the_record() -> int:
    """When a migration or an import ran; a fact about the file, never part of a memory."""
    return time.time_ns() // 1000
