"""Bytes of what was removed that PostgreSQL keeps although no row has them, and how they go.

A removed row stays in its page until the table is vacuumed, and its bytes until the table is
written anew. The write-ahead log, and whatever copies it, holds pages as they were until it is
recycled.
"""

from __future__ import annotations

from typing import Any

import psycopg

from glymph.store.certificate import CLEAN, OUT_OF_REACH, PENDING, PlaceStatus
from glymph.store.contract import Settled

TABLES = (
    "memories", "memory_text", "vectors", "meanings", "journal", "operations", "pages", "clusters",
    "conflicts", "recalls", "plans", "queue", "schedules", "surfaces", "chunks", "chunk_bodies",
)  # fmt: skip

# Tables and columns of this engine's own that hold no word of a memory, or go with the row they
# follow from.
COLUMNS = ("keys.*", "spaces.identity", "meanings.*")

BEYOND = (
    PlaceStatus(
        "write-ahead log", OUT_OF_REACH, "the server recycles it at its own pace",
        "a checkpoint and a switch of the log let it go; archives and replicas keep theirs",
    ),
    PlaceStatus(
        "own backups and exports", OUT_OF_REACH, "they may be anywhere, and are not kept track of",
        "delete those made before; a restore or an import of one leaves out what has a tombstone",
    ),
    PlaceStatus(
        "disk and running processes", OUT_OF_REACH, "no program can tell",
        "blocks that a file system has freed, snapshots, swap, the server's buffers, "
        "other handles' memory",
    ),
)  # fmt: skip


def size(connection: psycopg.Connection[tuple[Any, ...]]) -> int:
    """Bytes of the schema, indexes included."""
    found = connection.execute(
        "SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class "
        "WHERE relnamespace = 'glymph'::regnamespace AND relkind = 'r'"
    ).fetchone()
    return int(found[0]) if found else 0


def rewrite(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    """Writes every table that holds words anew. Each is locked while that lasts."""
    for table in TABLES:
        connection.execute(f"VACUUM (FULL, ANALYZE) glymph.{table}")


def settle(connection: psycopg.Connection[tuple[Any, ...]], *, rewrite_: bool) -> Settled:
    """Vacuums or, if asked to, writes the tables anew, unless others stand in the way."""
    done = rewrite_ and _try_rewrite(connection)
    fixed = (PlaceStatus("keys", CLEAN, "by design: random bytes"), *BEYOND)
    how = "the tables are written anew (VACUUM FULL)"
    waits = PlaceStatus(
        "removed rows",
        PENDING,
        how,
        "large or busy: they are written anew by `glymph store compact`",
    )
    samples = "the planner's samples are taken anew with it (ANALYZE)"
    pending = PlaceStatus("planner's samples", PENDING, samples, waits.detail)
    return Settled(
        done,
        (*fixed, waits, pending),
        (
            *fixed,
            PlaceStatus("removed rows", CLEAN, how),
            PlaceStatus("planner's samples", CLEAN, samples),
        ),
    )


def _try_rewrite(connection: psycopg.Connection[tuple[Any, ...]]) -> bool:
    connection.execute("SET lock_timeout = '5s'")
    try:
        rewrite(connection)
    except psycopg.errors.LockNotAvailable:
        return False
    return True
