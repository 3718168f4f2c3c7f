"""Permanent removal: what is purged is in no row, index, vector or journal image any more, and there is no undo.

That it was there, when it went and who wanted it so stays known: the journal keeps its id and its states. The
operations whose journal rows were blanked are sealed anew, and each blanked row names the purge.

Rows go here, not bytes: stale copies in the gaps of a file go when the store is compacted, those in a write-ahead
log when no reader needs it any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glymph.core.model import Receipt, State
from glymph.errors import Pinned, Protected
from glymph.services.states import checked_ids
from glymph.services.tombstones import bury
from glymph.services.workplace import Operating, Workplace
from glymph.store.contract import Row
from glymph.store.erasing import PURGED

AT_ONCE = 50  # of more removals in one statement, an engine may leave traces in its text index


def purge(
    place: Workplace, ids: str | Iterable[str], *, reason: str | None = None, tombstone: bool = False
) -> Receipt:
    """Removes memories for good in one operation that has no undo; `tombstone` keeps them from being learnt anew.

    A protected or pinned memory among them refuses the whole. Also takes those that an undo took away, which the
    journal still holds.
    """
    wanted = checked_ids(ids)
    with place.operation("purge", reason=reason) as op:
        op.succeeded += remove_for_good(op, place, wanted, tombstone=tombstone)
    return place.receipt(op)


def remove_for_good(op: Operating, place: Workplace, ids: Sequence[str], *, tombstone: bool = False) -> list[str]:
    """Removes memories for good as a part of an operation whose verb is "purge"; the ids of those that went."""
    rows = op.writer.memories(ids)
    for row in rows.values():
        if row["protected"]:
            raise Protected(row["id"])
        if row["pinned"]:
            raise Pinned(row["id"])
    going = {row["key"]: memory_id for memory_id, row in rows.items()} | _only_in_the_journal(op, ids, rows)
    if not going:
        return []
    texts = [*(row["text"] for row in rows.values()), *op.writer.past_texts(list(going))]
    texts = list(dict.fromkeys(texts))
    archived = _cut_loose(op, rows)
    present = [row["key"] for row in rows.values()]
    for start in range(0, len(present), AT_ONCE):
        op.writer.remove("memories", present[start : start + AT_ONCE])
    blanked = op.writer.erase(going, texts)
    if tombstone:
        bury(op, place, texts)
    gone = [memory_id for memory_id in ids if memory_id in set(going.values())]
    op.writer.describe({"purged": gone, "blanked": blanked} | ({"archived": archived} if archived else {}))
    return gone


def _only_in_the_journal(op: Operating, ids: Sequence[str], rows: Mapping[str, Row]) -> dict[int, str]:
    """Ids by key of those that an undo took away; the others are noted on the operation with the reason."""
    found: dict[int, str] = {}
    for memory_id in ids:
        if memory_id in rows:
            continue
        key = op.writer.removed_key(memory_id)
        if key is None:
            op.fail(memory_id, "no such memory in this space")
        elif any(PURGED in entry.image for entry in op.writer.entries_after([("memories", key)], 0)):
            op.skip(memory_id, "it was purged already")
        else:
            found[key] = memory_id
    return found


def _cut_loose(op: Operating, rows: Mapping[str, Row]) -> list[str]:
    """Removes what names these memories; the ids of those that are archived because what replaced them goes.

    Versions of linked memories stay: a purge must not stand in the way of undoing what was done to them before.
    """
    edges, memberships = op.writer.ties([row["key"] for row in rows.values()])
    op.writer.remove("edges", edges)
    op.writer.remove("memberships", memberships)
    op.writer.remove("conflicts", op.writer.conflicts_naming(rows))
    archived: list[str] = []
    for old in op.writer.replaced_by(rows):
        if old["id"] in rows:
            continue
        values = without_successor(old, rows, op.now)
        op.writer.change("memories", {old["key"]: values})
        if "state" in values:
            archived.append(old["id"])
    return archived


def without_successor(old: Row, gone: Mapping[str, Row], now: int) -> dict[str, Any]:
    """What becomes of a replaced memory whose successor is purged: the next in the chain replaces it.

    Where there is none it is archived: it was known to be out of date, and must not pass for current again.
    """
    successor: str | None = old["superseded_by"]
    for _ in range(len(gone) + 1):
        if successor not in gone:
            break
        successor = gone[successor]["superseded_by"] if successor is not None else None
    values: dict[str, Any] = {
        "superseded_by": None if successor in gone or successor == old["id"] else successor,
        "version": old["version"] + 1,
    }
    if values["superseded_by"] is None and old["state"] == State.LIVE and not old["pinned"]:
        values |= {"state": State.ARCHIVED.value, "state_at": now, "state_by": "purge"}
    return values
