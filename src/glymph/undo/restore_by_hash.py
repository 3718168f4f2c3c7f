"""The way to bring back what a hash stands for.

That is everything an operation put away, or a memory by what it says.
"""

from __future__ import annotations

from collections.abc import Sequence

from glymph.checks import checked_text
from glymph.context import Context
from glymph.errors import Ambiguous, HashNotFound, Purged, Refused
from glymph.model import Receipt, State
from glymph.store.contract import Row
from glymph.store.journal import PURGED
from glymph.store.reader import Reader
from glymph.undo.restore import restore

AWAY = (State.ARCHIVED, State.TRASHED)


def restore_from_hash(ctx: Context, hash: str) -> Receipt:
    """Restores what is archived or trashed under a hash.

    It is the hash of a receipt, or the content hash of a memory. A content that several put-away
    memories share is ambiguous: the error names them, and nothing is done.
    """
    wanted = checked_text("hash", hash, 200).strip().lower()
    with ctx.reading() as reader:
        operations = reader.operations_by_hash(wanted)
        ids = _find_put_away(reader, operations) if operations else _find_by_content(reader, wanted)
    return restore(ctx, ids, reason=f"hash {wanted}")


def _find_put_away(reader: Reader, operations: Sequence[Row]) -> list[str]:
    """Returns the memories that operations touched and that are away now."""
    children = [
        child["key"]
        for operation in operations
        for child in reader.operations(limit=1_000_000, children_of=operation["key"])
    ]
    entries = reader.entries([*(operation["key"] for operation in operations), *children])
    places = list(
        dict.fromkeys(("memories", entry.key) for entry in entries if entry.table == "memories")
    )
    rows = reader.rows(places)
    away = [rows[place]["id"] for place in places if place in rows and rows[place]["state"] in AWAY]
    if away:
        return away
    gone = [place for place in places if place not in rows]
    purged = {entry.key for entry in reader.entries_after(gone, 0) if PURGED in entry.image}
    if purged:
        raise Purged(f"all {len(purged):,} that it put away")
    if gone:
        raise Refused(
            "What this operation made was taken away by an undo. Undo that undo to bring it back."
        )
    raise Refused(
        "Nothing that this operation touched is archived or trashed now: "
        "there is nothing to restore."
    )


def _find_by_content(reader: Reader, content: str) -> list[str]:
    rows = reader.memories_by_hash(content)
    away = [row for row in rows if row["state"] in AWAY]
    if len(away) > 1:
        raise Ambiguous(content, [(row["id"], row["title"]) for row in away])
    if away:
        return [away[0]["id"]]
    if rows:
        raise Refused(f"{rows[0]['id']} says this and is live: there is nothing to restore.")
    raise HashNotFound(content, reader.space)
