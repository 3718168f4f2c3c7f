"""The trash: what is in it, until when it can come back, and emptying it for good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from glymph.context import Context, OpenOperation, every_row
from glymph.errors import Refused
from glymph.forget.certificate import certify
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.purge import remove_for_good
from glymph.forget.rights import check_may_purge
from glymph.model import Receipt, State, Trashed
from glymph.moments import AHEAD, MICROS_PER_DAY, micros
from glymph.store import guards
from glymph.store.contract import Filter, Row
from glymph.write.verdicts import is_fixed

CHUNK = 1_000
MOST_AT_ONCE = 500  # memories removed in one transaction: about a second


def trash(ctx: Context) -> list[Trashed]:
    """Returns what is in the trash, what expires first on top."""
    return [_value(ctx, row) for row in _read_rows(ctx)]


def _read_rows(ctx: Context) -> list[Row]:
    """Returns the rows in the trash, what expires first on top."""
    wanted = Filter(states=(State.TRASHED,), include_superseded=True)
    with ctx.reading() as reader:
        rows = every_row(reader, wanted, CHUNK)
        return sorted(rows, key=lambda row: (ctx.trash_ends(row["state_at"]), row["id"]))


def _value(ctx: Context, row: Row) -> Trashed:
    return Trashed(
        id=row["id"], title=row["title"], kind=row["kind"], by=row["state_by"],
        recoverable_until=ctx.trash_ends(row["state_at"]),
        expired=ctx.trash_ends(row["state_at"]) <= ctx.now() and not is_fixed(row),
    )  # fmt: skip


def empty(ctx: Context, *, all: bool = False, attended: bool = True) -> Receipt:
    """Removes for good what has been in the trash for its time; with `all`, everything in it.

    There is no undo. Leaves a certificate for each part, and completes those that are pending.
    Pinned and protected memories stay, and are named as skipped. An agent or upkeep removes only
    what has been there for its time, and only so much in a day; `attended` is False for upkeep in
    whoever's name; else it needs the right of a purge.
    """
    if attended:
        check_may_purge()
    unattended = not attended or guards.is_unattended(ctx.actor)
    if all and unattended:
        raise Refused(
            "Only a person empties the trash before its time. Nothing was changed: ask one to run "
            "`glymph memory trash empty --all --apply`."
        )
    rows = _read_rows(ctx)
    over = rows if all else [row for row in rows if ctx.trash_ends(row["state_at"]) <= ctx.now()]
    due = [row["id"] for row in over if not is_fixed(row)]
    if unattended:
        due = due[: _count_left_today(ctx)]
    due += [row["id"] for row in over if is_fixed(row)]  # to be named as skipped
    reason = "trash emptied" if all else "trash expired"
    if len(due) <= MOST_AT_ONCE:
        receipt = _remove(ctx, due, reason=reason)
    else:
        with ctx.bulk("purge", reason=reason) as parent:
            starts = range(0, len(due), MOST_AT_ONCE)
            parts = [
                _remove(ctx, due[start : start + MOST_AT_ONCE], parent=parent) for start in starts
            ]
        receipt = _join_receipts(ctx, parent, parts)
    complete_certificates(ctx)
    return receipt


def _count_left_today(ctx: Context) -> int:
    """Returns how many memories agents and upkeep may still remove for good today."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        gone = reader.purged_by(
            {*guards.BACKGROUND, ctx.actor}, now - MICROS_PER_DAY, upto=now + AHEAD
        )
        return min(ctx.count_left_today(reader), max(0, ctx.settings.trash_daily - gone))


def _remove(
    ctx: Context, ids: Sequence[str], *, reason: str | None = None, parent: int | None = None
) -> Receipt:
    with ctx.operation("purge", reason=reason, parent=parent) as op:
        removal = remove_for_good(op, ctx, _skip_kept(op, ids))
        op.succeeded += removal
    certify(ctx, op.intent.id, removal, rewrite=False)  # once, when all are gone
    return ctx.receipt(op)


def _skip_kept(op: OpenOperation, ids: Sequence[str]) -> list[str]:
    """Returns those that may go; notes on the operation why the others stay."""
    rows = op.writer.memories(ids)
    for row in rows.values():
        if row["protected"]:
            op.skip(row["id"], "it is protected; restore it")
        elif row["pinned"]:
            op.skip(row["id"], "it is pinned; unpin it or restore it")
    stay = {refusal.id for refusal in op.skipped}
    return [one for one in ids if one not in stay]


def _join_receipts(ctx: Context, parent: int, parts: Sequence[Receipt]) -> Receipt:
    """Returns the receipt of an operation in several transactions."""
    with ctx.reading() as reader:
        row = reader.operation_by_key(parent) or {}
    return replace(
        parts[0],
        operation_id=row["id"],
        hash=row["hash"],
        succeeded=tuple(one for part in parts for one in part.succeeded),
        skipped=tuple(one for part in parts for one in part.skipped),
        failed=tuple(one for part in parts for one in part.failed),
    )
