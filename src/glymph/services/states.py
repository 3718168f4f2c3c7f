"""Moving memories between LIVE, ARCHIVED and TRASHED: one transaction, a reason for each id left alone."""

from __future__ import annotations

from collections.abc import Iterable

from glymph.core.draft import checked_list
from glymph.core.model import Receipt, State
from glymph.errors import InvalidInput
from glymph.services.workplace import Operating, Workplace
from glymph.store.contract import Row

MAX_BATCH = 50_000


def archive(place: Workplace, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
    """Hides memories from recall; they are kept and come back whenever asked."""
    return _move(place, "archive", ids, State.ARCHIVED, reason)


def delete(place: Workplace, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
    """Puts memories into the trash, where they stay recoverable for a while."""
    return _move(place, "delete", ids, State.TRASHED, reason)


def restore(place: Workplace, ids: str | Iterable[str], *, reason: str | None = None) -> Receipt:
    """Brings archived and trashed memories back to life."""
    return _move(place, "restore", ids, State.LIVE, reason)


def _move(place: Workplace, verb: str, ids: str | Iterable[str], state: State, reason: str | None) -> Receipt:
    wanted = checked_ids(ids)
    with place.operation(verb, reason=reason) as op:
        moving = movable(op, wanted, state)
        op.writer.set_state([row["key"] for row in moving], state=state, at=op.now, by=verb)
        op.succeeded += [row["id"] for row in moving]
        if state is State.TRASHED:
            op.recoverable_until = place.trash_ends(op.now)
    return place.receipt(op)


def checked_ids(ids: str | Iterable[str]) -> list[str]:
    given = [ids] if isinstance(ids, str) else checked_list("ids", ids)
    if not given:
        raise InvalidInput("ids", "is empty. Name at least one memory.")
    if not all(isinstance(memory_id, str) for memory_id in given):
        raise InvalidInput("ids", "expected ids as texts. Pass memory.id, not the memory itself.")
    wanted = list(dict.fromkeys(given))
    if len(wanted) > MAX_BATCH:
        raise InvalidInput("ids", f"{len(wanted):,} given; at most {MAX_BATCH:,} in one operation. Split them.")
    return wanted


def movable(op: Operating, ids: list[str], state: State) -> list[Row]:
    """The rows that may change to a state; the others are noted on the operation with the reason."""
    rows = op.writer.standing(ids)
    moving: list[Row] = []
    for memory_id in ids:
        row = rows.get(memory_id)
        if row is None:
            op.fail(memory_id, "no such memory in this space")
        elif row["state"] == state:
            op.skip(memory_id, f"it is {state} already")
        elif row["protected"]:
            op.skip(memory_id, "it is protected")
        elif row["pinned"] and state is not State.LIVE:
            op.skip(memory_id, "it is pinned; unpin it first")
        elif state is State.ARCHIVED and row["state"] == State.TRASHED:
            op.skip(memory_id, "it is in the trash; restore it first")
        else:
            moving.append(row)
    return moving
