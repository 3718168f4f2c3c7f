"""The way archived and trashed memories are brought back to life.

It is one transaction, with a reason for each id left alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from glymph.checks import checked_list
from glymph.context import Context
from glymph.errors import InvalidInput
from glymph.model import Receipt, State
from glymph.store import foresight

MAX_BATCH = 50_000


def restore(ctx: Context, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
    """Brings archived and trashed memories back to life."""
    wanted = checked_ids(ids)
    ahead = [foresight.standing_of(wanted)]
    with ctx.operation("restore", reason=reason, ahead=ahead) as op:
        rows = op.writer.standing_of(wanted)
        coming = []
        for memory_id in wanted:
            row = rows.get(memory_id)
            if row is None:
                op.fail(memory_id, "no such memory in this space")
            elif row["state"] == State.LIVE:
                op.skip(memory_id, "it is LIVE already")
            else:
                coming.append(row)
        op.writer.set_state(
            [row["key"] for row in coming], state=State.LIVE, at=op.now, by="restore"
        )
        op.succeeded += [row["id"] for row in coming]
    return ctx.receipt(op)


def checked_ids(ids: str | Iterable[str]) -> list[str]:
    given = [ids] if isinstance(ids, str) else checked_list("ids", ids)
    if not given:
        raise InvalidInput("ids", "is empty. Name at least one memory.")
    if not all(isinstance(memory_id, str) for memory_id in given):
        raise InvalidInput("ids", "expected ids as texts. Pass memory.id, not the memory itself.")
    wanted = list(dict.fromkeys(given))
    if len(wanted) > MAX_BATCH:
        raise InvalidInput(
            "ids", f"{len(wanted):,} given; at most {MAX_BATCH:,} in one operation. Split them."
        )
    return wanted
