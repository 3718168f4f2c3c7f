"""What loading whole spaces needs to know of SQLite."""

from __future__ import annotations

from collections.abc import Mapping

from glymph.store.backends.sqlite.connection import Connection
from glymph.store.contract import Session

_TYPES: Mapping[str, tuple[type, ...]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
}


def column_types(connection: Connection, table: str) -> dict[str, tuple[type, ...]]:
    own = {"space_id", "id"} if table == "journal" else {"space_id"}
    return {
        name: _TYPES[kind] if required or key else (*_TYPES[kind], type(None))
        for _, name, kind, required, _, key in connection.raw.execute(f"PRAGMA table_info({table})")
        if name not in own
    }


def reserve_keys(connection: Session, table: str, count: int) -> int:
    """Sets aside the next `count` keys of a table, so that writers meanwhile take others.

    Returns how far the keys of a load have to be moved.
    """
    found = connection.tuples("SELECT seq FROM sqlite_sequence WHERE name = :name", {"name": table})
    parameters = {"name": table, "count": count}
    if found:
        connection.execute(
            "UPDATE sqlite_sequence SET seq = seq + :count WHERE name = :name", parameters
        )
    else:
        connection.execute(
            "INSERT INTO sqlite_sequence(name, seq) VALUES (:name, :count)", parameters
        )
    return int(found[0][0]) if found else 0
