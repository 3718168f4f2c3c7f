"""Conflicts: two statements that cannot both be current, and the four ways to settle that."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from glymph.checks import checked_id, checked_list
from glymph.context import Context, OpenOperation
from glymph.errors import ConflictNotFound, GlymphError, InvalidInput, Refused
from glymph.model import Conflict, Receipt, State
from glymph.moments import micros, moment
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.undo.restore import MAX_BATCH
from glymph.write.add import embed_drafts, get_or_create
from glymph.write.draft import Draft, draft
from glymph.write.replace import supersede

RESOLUTIONS = ("new_is_current", "old_is_current", "keep_both", "merge")


def conflicts(ctx: Context) -> list[Conflict]:
    """Returns the conflicts that still wait for a decision, oldest first.

    One that has expired, or of which a side is gone or no longer current, waits no more: both stay
    as they are.
    """
    now = micros(ctx.now())
    with ctx.reading() as reader:
        waiting = [row for row in reader.conflicts() if row["expires_at"] > now]
        rows = reader.memories({row[side] for row in waiting for side in ("older", "newer")})
        return [_value(row, rows) for row in waiting if _stands(row, rows)]


def list_expired(ctx: Context) -> list[str]:
    """Returns the ids of conflicts that nobody decided in time and whose sides are both current."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        late = [row for row in reader.conflicts() if row["expires_at"] <= now]
        rows = reader.memories({row[side] for row in late for side in ("older", "newer")})
    return [row["id"] for row in late if _stands(row, rows)]


def _stands(row: Row, rows: dict[str, Row]) -> bool:
    sides = [rows.get(row["older"]), rows.get(row["newer"])]
    return all(
        m is not None and m["state"] == State.LIVE and m["superseded_by"] is None for m in sides
    )


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


def resolve(
    ctx: Context, conflict_ids: str | Iterable[str], resolution: str, *, text: str | None = None
) -> Receipt:
    """Settles conflicts as one operation; undo opens them again.

    `merge` takes one conflict and the text that takes the place of both its statements. Of several
    conflicts, those that cannot be settled are named and left.
    """
    several = not isinstance(conflict_ids, str)
    ids = (
        [checked_id(one, "conflict_id") for one in checked_list("conflict_ids", conflict_ids)]
        if several
        else []
    )
    wanted = list(dict.fromkeys(ids)) if several else [str(conflict_ids)]
    _check(resolution, text, wanted)
    with ctx.reading() as reader:
        merged = None if text is None else _draft(ctx, reader, wanted[0], text)
    vectors = embed_drafts(ctx, [merged]) if merged else {}
    with ctx.operation("resolve", reason=f"{resolution}: {', '.join(wanted[:5])}") as op:
        for conflict_id in wanted:
            try:
                row = _read_waiting(op.writer, conflict_id)
                _settle(ctx, op, row, resolution, merged, vectors)
            except GlymphError as error:
                if not several:
                    raise
                op.fail(conflict_id, str(error))
                continue
            op.writer.change(
                "conflicts", {row["key"]: {"resolution": resolution, "resolved_at": op.now}}
            )
            op.succeeded.append(conflict_id)
    return ctx.receipt(op)


def _check(resolution: str, text: str | None, wanted: Sequence[str]) -> None:
    if resolution not in RESOLUTIONS:
        raise InvalidInput(
            "resolution", f"{resolution!r} is not known. Use one of {', '.join(RESOLUTIONS)}."
        )
    if (text is not None) != (resolution == "merge"):
        raise InvalidInput("text", "is what a merge says, and belongs to no other resolution.")
    if resolution == "merge" and len(wanted) != 1:
        raise InvalidInput(
            "conflict_ids", "a merge settles one conflict at a time. Name one, with its text."
        )
    if len(wanted) > MAX_BATCH:
        raise InvalidInput(
            "conflict_ids", f"{len(wanted):,} given; at most {MAX_BATCH:,}. Split them."
        )


def _settle(
    ctx: Context,
    op: OpenOperation,
    row: Row,
    resolution: str,
    merged: Draft | None,
    vectors: Mapping[str, bytes],
) -> None:
    older, newer = op.row(row["older"]), op.row(row["newer"])
    if merged is not None:
        both = get_or_create(ctx, op, merged, vectors, by="merge")
        for side in (older, newer):
            if side["id"] != both["id"]:
                supersede(op, side, both)
    elif resolution == "new_is_current":
        supersede(op, older, newer)
    elif resolution == "old_is_current":
        supersede(op, newer, older)


def _draft(ctx: Context, reader: Reader, conflict_id: str, text: str) -> Draft:
    """Returns what a merge says; it is of the newer statement's kind."""
    row = _read_waiting(reader, conflict_id)
    newer = reader.memories([row["newer"]])[row["newer"]]
    return draft(text, ctx.settings, kind=newer["kind"], section=newer["section"])


def _read_waiting(reader: Reader, conflict_id: str) -> Row:
    row = reader.conflict(conflict_id)
    if row is None:
        raise ConflictNotFound(conflict_id, reader.space)
    if row["resolution"] is not None:
        raise Refused(
            f"This conflict was resolved already ({row['resolution']}). Undo that to decide anew."
        )
    if not _stands(row, reader.memories([row["older"], row["newer"]])):
        raise Refused(
            "One of its two memories is gone or replaced: there is nothing left to decide."
        )
    return row
