"""Bytes of what was removed that SQLite keeps although no row has them, and how they go.

`secure_delete` overwrites freed cells and pages, but not the copies that stay in the gap of a page
when its rows were moved to another; only writing the file anew removes those. The write-ahead log
holds pages as they were until it is emptied, which waits for every reader that began before.
"""

from __future__ import annotations

import apsw

from glymph.store.certificate import CLEAN, OUT_OF_REACH, PENDING, PlaceStatus
from glymph.store.contract import Settled

# Ends of the names of the files of a store, with the place each belongs to. A test looks for
# others.
FILES = {
    "": "database file",
    "-wal": "write-ahead log",
    "-shm": "write-ahead log",
    "-journal": "write-ahead log",
    ".keys": "keys",
}
# Tables of SQLite's own. Counts in sqlite_stat1 are set by hand; samples of values are removed, if
# there are any.
COLUMNS = ("sqlite_stat1.*", "sqlite_stat4.*", "sqlite_sequence.*")
PATIENCE = 250  # milliseconds that settling waits for others; who waits longer is the job
REWRITE_PATIENCE = 5_000

BEYOND = (
    PlaceStatus(
        "own backups and exports", OUT_OF_REACH, "they may be anywhere, and are not kept track of",
        "delete those made before; a restore or an import of one leaves out what has a tombstone",
    ),
    PlaceStatus(
        "disk and running processes", OUT_OF_REACH, "no program can tell",
        "blocks that a file system has freed, snapshots, swap, "
        "and what other handles have in memory",
    ),
)  # fmt: skip


def size(raw: apsw.Connection) -> int:
    """Bytes of the database."""
    return int(raw.pragma("page_count")) * int(raw.pragma("page_size"))


def merge_text_index(raw: apsw.Connection) -> None:
    """Merges the text index into one piece, which takes out the words that no memory says now.

    Changes and undos leave them there; it takes 35 ms for 10,000 memories.
    """
    raw.execute("INSERT INTO memory_text(memory_text) VALUES ('optimize')")
    raw.execute("DELETE FROM leftover_words")


def rewrite(raw: apsw.Connection) -> None:
    """Writes the file anew, and the text index in one piece."""
    merge_text_index(raw)
    if raw.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'").get:
        raw.execute("DELETE FROM sqlite_stat4")
    raw.execute("VACUUM")


def settle(raw: apsw.Connection, *, rewrite: bool) -> Settled:
    """Empties the log and, if asked to, writes the file anew, unless others stand in the way."""
    done = rewrite and _try_rewrite(raw)
    emptied = try_empty_log(raw)
    log = PlaceStatus(
        "write-ahead log", CLEAN if emptied else PENDING, "emptied by a checkpoint (TRUNCATE)",
        "" if emptied else "a reader that began before still needs it; it goes when that ends",
    )  # fmt: skip
    fixed = (
        log,
        PlaceStatus(
            "free pages", log.status, "overwritten by secure_delete; then as the log", log.detail
        ),
        PlaceStatus("keys", CLEAN, "by design: random bytes"),
        _check_samples(raw),
        *BEYOND,
    )
    how = "the file is written anew (VACUUM), then as the log"
    waits = PlaceStatus(
        "page gaps", PENDING, how, "large or busy: it is written anew by `glymph store compact`"
    )
    return Settled(
        done, (*fixed, waits), (*fixed, PlaceStatus("page gaps", log.status, how, log.detail))
    )


def _check_samples(raw: apsw.Connection) -> PlaceStatus:
    how = "samples of values are taken by nobody, and removed when the file is written anew"
    present = raw.execute("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat4'").get
    held = present and raw.execute("SELECT 1 FROM sqlite_stat4").get
    return PlaceStatus("planner's samples", PENDING if held else CLEAN, how)


def _try_rewrite(raw: apsw.Connection) -> bool:
    raw.setbusytimeout(REWRITE_PATIENCE)
    try:
        rewrite(raw)
    except apsw.BusyError:
        return False
    return True


def try_empty_log(raw: apsw.Connection) -> bool:
    """Empties the write-ahead log, unless a reader needs it for longer than one can wait."""
    raw.setbusytimeout(PATIENCE)
    try:
        ((busy, _, _),) = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except apsw.BusyError:
        return False
    return not busy
