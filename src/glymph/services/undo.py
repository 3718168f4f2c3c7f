"""Undo: any operation taken back, whole, except what was changed since."""

from __future__ import annotations

from collections.abc import Sequence

from glymph.core.journal import Conflict, Place, Restoration, plan_undo
from glymph.core.model import Receipt
from glymph.core.timing import moment
from glymph.errors import AlreadyUndone, HistoryGone, NotUndoable, OperationNotFound
from glymph.services.workplace import Workplace
from glymph.store.contract import Reader, Row

FINAL_VERBS = {
    "create_space": "a space is removed with `glymph space delete`, not by undo.",
}


def undo(place: Workplace, operation_id: str | None = None, *, reason: str | None = None) -> Receipt:
    """Puts back every row an operation changed. Without an id: this actor's newest one that still stands.

    Rows changed since stay as they are and are listed as skipped. The undo is an operation itself, so it
    can be undone.
    """
    with place.reading() as reader:
        target = _target(place, reader, operation_id)
        operations = [target["key"], *(row["key"] for row in _children(reader, target["key"]))]
    if not target["hash"]:
        # A bulk operation that was cut short: no more children, then what it did is undone as one.
        place.store.close_parent(place.space, target["key"])
    with place.operation("undo", reason=reason or f"undo {target['verb']}", undoes=target["key"]) as op:
        _check_standing(op.writer, target)  # nobody else may have undone it since we looked
        restorations, conflicts = _plan(op.writer, operations)
        conflicts += _dangling(op.writer, restorations)
        left_alone = {(c.table, c.key) for c in conflicts}
        restorations = [r for r in restorations if (r.table, r.key) not in left_alone]
        names = _names(op.writer, restorations, conflicts)
        op.writer.put_back(restorations)
        op.succeeded += dict.fromkeys(names[r.table, r.key] for r in restorations)
        for conflict in conflicts:
            op.skip(names[conflict.table, conflict.key], conflict.reason)
    return place.receipt(op)


def _target(place: Workplace, reader: Reader, operation_id: str | None) -> Row:
    row = reader.newest_undoable(place.actor) if operation_id is None else reader.operation(operation_id)
    if row is None:
        raise OperationNotFound(operation_id, place.space)
    if row["verb"] in FINAL_VERBS:
        raise NotUndoable(row["id"], FINAL_VERBS[row["verb"]])
    if row["parent"] is not None:
        raise NotUndoable(row["id"], f"it is part of {row['parent_id']}. Undo that one.")
    if row["changes"] == 0 and row["hash"]:
        raise NotUndoable(row["id"], "it changed nothing.")
    horizon = place.journal_begins()
    if moment(row["at"]) < horizon:
        raise HistoryGone(moment(row["at"]), horizon)
    _check_standing(reader, row)
    return row


def _check_standing(reader: Reader, row: Row) -> None:
    by = reader.undone_by(row["key"])
    if by is not None:
        raise AlreadyUndone(row["id"], by["id"])


def _children(reader: Reader, key: int) -> list[Row]:
    return list(reader.operations(limit=1_000_000, children_of=key))


def _plan(reader: Reader, operations: Sequence[int]) -> tuple[list[Restoration], list[Conflict]]:
    done = reader.entries(operations)
    first: dict[Place, int] = {}
    for entry in done:
        first.setdefault((entry.table, entry.key), entry.id)
    others = reader.entries_after(list(first), min(first.values(), default=0), without=operations)
    later = [entry for entry in others if entry.id > first[entry.table, entry.key]]
    return plan_undo(done, later, reader.rows(list(first)))


def _dangling(reader: Reader, restorations: Sequence[Restoration]) -> list[Conflict]:
    """Links that cannot come back because an end, or an equal link, is in the way."""
    removed = {(r.table, r.key) for r in restorations if r.values is None}
    created = {(r.table, r.key) for r in restorations if r.values is not None and not r.replaces}
    conflicts: list[Conflict] = []
    for r in restorations:
        if r.table != "edges" or r.values is None or r.replaces:
            continue
        ends: list[Place] = [("memories", r.values["source"]), ("memories", r.values["target"])]
        present = reader.rows(ends)
        if any((end in removed) or (end not in present and end not in created) for end in ends):
            conflicts.append(Conflict(r.table, r.key, "an end of this link is gone"))
            continue
        same = reader.edge(r.values["source"], r.values["target"], r.values["type"])
        if same is not None and ("edges", same["key"]) not in removed:
            conflicts.append(Conflict(r.table, r.key, "the same link was made anew since"))
    return conflicts


def _names(reader: Reader, restorations: Sequence[Restoration], conflicts: Sequence[Conflict]) -> dict[Place, str]:
    """What to call each row in the receipt: a memory by its id, other rows by table and what they join."""
    places: list[Place] = [(r.table, r.key) for r in restorations] + [(c.table, c.key) for c in conflicts]
    known = dict(reader.rows(places))
    for r in restorations:
        if r.values is not None and (r.table, r.key) not in known:
            known[r.table, r.key] = r.values
    return {
        place: known.get(place, {}).get("id") or f"{place[0]}:{known.get(place, {}).get('name', place[1])}"
        for place in places
    }
