"""Checksums of rows that no journal tells of: kept by SQLite itself, in an index over each table.

An index over the checksum of a row follows every change, whichever statement makes it, costs a few
bytes, and `PRAGMA integrity_check` compares it with the row: a flipped bit in either is found. The
checksum is a function of Glymph's, so other programs read these tables and do not write them.
"""

from __future__ import annotations

import zlib

import apsw

TYPE_CHECKING = False  # a hook loads this: `typing` alone would cost it milliseconds
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

FUNCTION = "glymph_checksum"
END = "_checksum"  # of the names of the indexes

# Rows of all other tables are what the journal leads to, and the seals of operations vouch for it.
_AT_FIRST = (
    "migrations", "spaces", "pages", "recalls", "plans", "schedules", "counters", "queue", "ledger",
    "models", "vectors", "curves", "conflicts", "transcripts", "conversations", "messages",
    "folders", "certificates", "surfaces", "leases", "chunks", "chunk_bodies",
)  # fmt: skip
WHOLE = (*_AT_FIRST, "tokens", "meta", "leftover_words")
# The words of a memory: no journal tells the text of a new one, and its hash is blind to case. They
# ride on an index whose page a new memory writes anyway; a page more would cost `add` two percent.
WORDED_INDEX = "memories_by_state"
WORDS = """
DROP INDEX memories_by_state;
CREATE INDEX memories_by_state ON memories(space_id, state, key, {words});
INSERT INTO sqlite_stat1(tbl, idx, stat)
VALUES ('memories', 'memories_by_state', '1000000 100000 40000 1 1');
ANALYZE sqlite_schema;
"""
WORDED = ("title", "text", "tags", "entities", "attributes")


def register(raw: apsw.Connection) -> None:
    """Makes the checksum known to a connection, which cannot write to these tables without it."""
    compute: Any = zlib.crc32  # no function of Python's own stands between: it runs for every row
    raw.create_scalar_function(
        FUNCTION, compute, 1, deterministic=True, flags=apsw.SQLITE_INNOCUOUS
    )


def install(raw: apsw.Connection) -> None:
    """Makes the indexes of the tables that there were when checksums began."""
    for table in _AT_FIRST:
        install_for(raw, table)
    raw.execute(WORDS.format(words=_checksum_of(WORDED)))


def install_for(raw: apsw.Connection, table: str) -> None:
    """Makes the index of one table, for a schema step that brings it or a column of it."""
    columns = list(raw.execute(f"PRAGMA table_info({table})"))
    key = next(name for _, name, _, _, _, is_key in columns if is_key)
    values = [
        # `quote` tells NULL from an empty text, and every float from the next.
        name if required and kind in ("TEXT", "BLOB") else f"quote({name})"
        for _, name, kind, required, _, _ in columns
        if name != key
    ]
    raw.execute(f"DROP INDEX IF EXISTS {table}{END}")
    # In the order of keys, so that a new row is added at the end.
    raw.execute(f"CREATE INDEX {table}{END} ON {table}({key}, {_checksum_of(values)})")


def _checksum_of(values: Sequence[str]) -> str:
    # As bytes, whatever a damaged text holds: a function that fails would end the whole check.
    return f"{FUNCTION}(CAST(concat({', char(31), '.join(values)}) AS BLOB))"
