"""Conflicts: two statements that cannot both be current, and the four ways to settle that."""

from __future__ import annotations

from glymph.core.draft import checked_id, draft
from glymph.core.model import Conflict, Receipt, State
from glymph.core.timing import micros, moment
from glymph.errors import InvalidInput, Refused
from glymph.services.remember import new_row
from glymph.services.replace import supersede
from glymph.services.workplace import Operating, Workplace
from glymph.store.contract import Reader, Row

RESOLUTIONS = ("new_is_current", "old_is_current", "keep_both", "merge")


def conflicts(place: Workplace) -> list[Conflict]:
    """Those that still wait for a decision, oldest first.

    One that has expired, or of which a side is gone or no longer current, waits no more: both stay as they are.
    """
    now = micros(place.now())
    with place.reading() as reader:
        waiting = [row for row in reader.conflicts() if row["expires_at"] > now]
        rows = reader.memories({row[side] for row in waiting for side in ("older", "newer")})
        return [_value(row, rows) for row in waiting if _stands(row, rows)]


def _stands(row: Row, rows: dict[str, Row]) -> bool:
    sides = [rows.get(row["older"]), rows.get(row["newer"])]
    return all(m is not None and m["state"] == State.LIVE and m["superseded_by"] is None for m in sides)


def _value(row: Row, rows: dict[str, Row]) -> Conflict:
    return Conflict(
        id=row["id"],
        older=row["older"],
        newer=row["newer"],
        older_text=rows[row["older"]]["text"],
        newer_text=rows[row["newer"]]["text"],
        reason=row["reason"],
        raised_at=moment(row["raised_at"]),
        expires_at=moment(row["expires_at"]),
    )


def resolve(place: Workplace, conflict_id: str, resolution: str, *, text: str | None = None) -> Receipt:
    """Settles a conflict; undo opens it again.

    `merge` needs the text that takes the place of both.
    """
    checked_id(conflict_id, "conflict_id")
    if resolution not in RESOLUTIONS:
        raise InvalidInput("resolution", f"{resolution!r} is not known. Use one of {', '.join(RESOLUTIONS)}.")
    if (text is not None) != (resolution == "merge"):
        raise InvalidInput("text", "is what a merge says, and belongs to no other resolution.")
    with place.operation("resolve", reason=f"conflict {conflict_id}: {resolution}") as op:
        row = _waiting(op.writer, conflict_id)
        older, newer = op.row(row["older"]), op.row(row["newer"])
        if resolution == "new_is_current":
            supersede(op, older, newer)
        elif resolution == "old_is_current":
            supersede(op, newer, older)
        elif text is not None:
            _merge(place, op, older, newer, text)
        op.writer.change("conflicts", {row["key"]: {"resolution": resolution, "resolved_at": op.now}})
        op.succeeded.append(conflict_id)
    return place.receipt(op)


def _waiting(reader: Reader, conflict_id: str) -> Row:
    row = reader.conflict(conflict_id)
    if row is None:
        raise InvalidInput("conflict_id", f"no conflict {conflict_id!r} in this space. conflicts() lists them.")
    if row["resolution"] is not None:
        raise Refused(f"This conflict was resolved already ({row['resolution']}). Undo that to decide anew.")
    if not _stands(row, reader.memories([row["older"], row["newer"]])):
        raise Refused("One of its two memories is gone or replaced: there is nothing left to decide.")
    return row


def _merge(place: Workplace, op: Operating, older: Row, newer: Row, text: str) -> None:
    """A memory that says what both should, in the place of both."""
    row = new_row(place, draft(text, place.settings, kind=newer["kind"]), op, by="merge")
    op.writer.insert("memories", [row])
    merged = op.row(row["id"])
    for side in (older, newer):
        supersede(op, side, merged)
