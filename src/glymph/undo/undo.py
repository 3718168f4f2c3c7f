"""Undo: any operation taken back, whole, except what was changed since."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from glymph.checks import checked_id
from glymph.context import NAMED, Context, OpenOperation
from glymph.errors import AlreadyUndone, HistoryGone, NotUndoable, OperationNotFound
from glymph.model import Receipt, Refusal
from glymph.moments import moment
from glymph.store import foresight, guards
from glymph.store.contract import Row
from glymph.store.journal import Conflict, Place, Restoration, plan_undo
from glymph.store.reader import Reader
from glymph.store.undo_foresight import UndoForesight
from glymph.store.writer import Writer
from glymph.undo.obstacles import name_obstacles

FINAL_VERBS = {
    "create_space": "a space is removed with `glymph store space delete`, not by undo.",
    "fold": "what is folded into one is not told apart again.",
    "purge": "what is purged is gone for good. Name an earlier operation to undo that one.",
}
NEWEST_IS_A_PURGE = (
    "it is your newest change, and what is purged is gone for good. Nothing was changed. To take "
    "an earlier change back, name it: operations() or `glymph store operations` lists them; "
    "then undo(id)."
)


def undo(ctx: Context, operation_id: str | None = None, *, reason: str | None = None) -> Receipt:
    """Puts back every row an operation changed.

    Without an id that is this actor's newest operation that still stands; if a purge is newer,
    nothing is taken back, for that is not what is meant. Rows changed since stay as they are and
    are listed as skipped, with the operation to undo first; where nothing could be put back, none
    is written. The undo is an operation itself, so it can be undone. An agent takes back
    only what it did itself, or what was done in the background; a person anything. Neither an agent
    nor upkeep takes a pinned memory or its pin away by it. One that was cut short ends by it, even
    if it came to nothing.
    """
    if operation_id is not None:
        checked_id(operation_id, "operation_id")
    ended: set[int] = set()
    while True:
        try:
            return _undo(ctx, operation_id, reason, ended)
        except _NothingPutBack as found:
            return Receipt("", "undo", skipped=found.skipped)
        except _LeftOpen as found:
            # A bulk operation that was cut short: no more children, then what it did is undone as
            # one. Without an id another one may be the newest then, and left open as well.
            ctx.store.close_parent(ctx.space, found.key)
            ended.add(found.key)


class _LeftOpen(Exception):
    """The operation to undo was never closed."""

    def __init__(self, key: int) -> None:
        super().__init__(key)
        self.key = key


class _NothingPutBack(Exception):
    """Everything that the operation changed was changed since."""

    def __init__(self, skipped: Sequence[Refusal]) -> None:
        super().__init__(skipped)
        self.skipped = tuple(skipped)


def _undo(
    ctx: Context, operation_id: str | None, reason: str | None, ended: Collection[int]
) -> Receipt:
    """Undoes a closed operation; those in `ended` were closed for it and may have done nothing."""
    ahead = UndoForesight(operation_id, ctx.actor)
    with ctx.operation("undo", reason=reason, ahead=ahead.asks) as op:
        op.writer.recognise(ahead)
        target = _target(ctx, op.writer, operation_id, ended)
        if not target["hash"]:
            raise _LeftOpen(target["key"])
        op.writer.amend(reason=op.intent.reason or f"undo {target['verb']}", undoes=target["key"])
        children = op.writer.children(target["key"])
        own = [target["key"], *(row["key"] for row in children)]
        restorations, conflicts = _plan(op.writer, _add_followers(op.writer, own))
        attended = not guards.is_unattended(ctx.actor)
        while in_the_way := _find_obstacles(op.writer, restorations, attended=attended):
            # What is left alone may be in the way of something else, such as a cluster of its
            # members.
            conflicts += in_the_way
            left_alone = {(c.table, c.key) for c in in_the_way}
            restorations = [r for r in restorations if (r.table, r.key) not in left_alone]
        places = [(r.table, r.key) for r in restorations] + [(c.table, c.key) for c in conflicts]
        known = _known_rows(op.writer, places, restorations)
        names = _names(op.writer, known, places)
        op.writer.put_back(restorations)
        op.succeeded += dict.fromkeys(names[r.table, r.key] for r in restorations)
        for conflict in conflicts:
            op.skip(names[conflict.table, conflict.key], conflict.reason)
        if op.skipped and not op.succeeded:
            raise _NothingPutBack(op.skipped)
    return replace(ctx.receipt(op), titles=_titles(op, known))


def _titles(op: OpenOperation, known: Mapping[Place, Row]) -> dict[str, str]:
    """Returns titles of the first memories that were put back or taken away, by id."""
    before = {row["id"]: row["title"] for row in known.values() if "title" in row and "id" in row}
    titles = {**before, **op.titles}
    return {one: titles[one] for one in op.succeeded[:NAMED] if one in titles}


def _target(ctx: Context, reader: Reader, operation_id: str | None, ended: Collection[int]) -> Row:
    row = (
        _find_newest(reader, ctx.actor) if operation_id is None else reader.operation(operation_id)
    )
    if row is None:
        raise OperationNotFound(operation_id, ctx.space)
    if row["verb"] in FINAL_VERBS:
        raise NotUndoable(row["id"], FINAL_VERBS[row["verb"]])
    if ctx.is_agent and row["actor"] not in (ctx.actor, *guards.BACKGROUND):
        raise NotUndoable(
            row["id"],
            f"{row['actor']!r} did it, and an agent undoes only what it did. Ask a person.",
        )
    if row["parent"] is not None:
        raise NotUndoable(row["id"], f"it is part of {row['parent_id']}. Undo that one.")
    if (horizon := find_lost_past(ctx, reader, row)) is not None:
        raise HistoryGone(moment(row["at"]), horizon)
    if row["changes"] == 0 and row["hash"] and row["key"] not in ended:
        raise NotUndoable(row["id"], "it changed nothing.")
    _check_standing(reader, row)
    return row


def find_lost_past(ctx: Context, reader: Reader, operation: Row) -> datetime | None:
    """Returns from when on operations can be taken back, if this one is older than that."""
    horizon = ctx.journal_begins()
    if moment(operation["at"]) < horizon:
        return horizon
    only_uses = operation["edits"] == 0 and operation["hash"]
    folded = reader.uses_folded_upto() if only_uses else reader.folded_upto()
    return find_horizon(ctx, reader, folded) if operation["key"] <= folded else None


def find_horizon(ctx: Context, reader: Reader, folded: int) -> datetime:
    """Returns the moment from which on the past is known, given the last folded operation."""
    last = reader.last_of(folded)
    horizon = ctx.journal_begins()
    return max(horizon, min(ctx.now(), moment(last["at"]))) if last else horizon


def _find_newest(reader: Reader, actor: str) -> Row | None:
    """Returns the actor's newest operation that can be undone; refuses if a purge is newer."""
    newest = reader.newest_undoable(actor)
    before: int | None = None
    while purges := reader.operations(limit=50, actor=actor, verb="purge", before=before):
        for row in purges:
            if newest is not None and row["key"] < newest["key"]:
                return newest
            if _removed_something(row):
                raise NotUndoable(row["id"], NEWEST_IS_A_PURGE)
        before = purges[-1]["key"]
    return newest


def _removed_something(purge: Row) -> bool:
    """Tells whether a purge took anything away; one that found nothing stands in no one's way."""
    told = json.loads(purge["details"])
    return bool(purge["changes"] or told.get("purged") or told.get("rewritten"))


def _check_standing(reader: Reader, row: Row) -> None:
    by = reader.undone_by(row["key"])
    if by is not None:
        raise AlreadyUndone(row["id"], by["id"])


def _add_followers(reader: Reader, operations: Sequence[int]) -> list[int]:
    """Adds what reconciled the memories that these operations made: it goes with them."""
    made: dict[Place, int] = {}
    for entry in reader.entries(operations):
        if entry.table == "memories" and entry.action == "insert":
            made.setdefault((entry.table, entry.key), entry.id)
    if not made:
        return list(operations)
    later = reader.entries_after(list(made), min(made.values()), without=operations)
    found = {entry.operation for entry in later if entry.id > made[entry.table, entry.key]}
    rows = [row for key in sorted(found) if (row := reader.operation_by_key(key)) is not None]
    follow = [
        row["key"] for row in rows if row["verb"] == "reconcile" and _stands(reader, row["key"])
    ]
    return [*operations, *follow]


def _stands(reader: Reader, key: int) -> bool:
    """Tells whether nothing has taken a reconcile back: neither it, nor what made its memories."""
    if reader.undone_by(key) is not None:
        return False
    touched = [(entry.table, entry.key) for entry in reader.entries([key])]
    memories = [place for place in touched if place[0] == "memories"]
    makers = {
        entry.operation
        for entry in reader.entries_after(memories, 0)
        if entry.action == "insert" and entry.operation < key
    }
    for maker in makers:
        row = reader.operation_by_key(maker)
        by = None if row is None else reader.undone_by(row["parent"] or maker)
        if by is not None and by["key"] > key:
            return False
    return True


def _plan(reader: Reader, operations: Sequence[int]) -> tuple[list[Restoration], list[Conflict]]:
    done = reader.entries(operations)
    first: dict[Place, int] = {}
    for entry in done:
        first.setdefault((entry.table, entry.key), entry.id)
    others = reader.entries_after(list(first), min(first.values(), default=0), without=operations)
    later = [entry for entry in others if entry.id > first[entry.table, entry.key]]
    restorations, conflicts = plan_undo(done, later, reader.rows(list(first)))
    return restorations, name_obstacles(reader, conflicts, later, final=FINAL_VERBS)


def _find_obstacles(
    reader: Writer, restorations: Sequence[Restoration], *, attended: bool
) -> list[Conflict]:
    """Returns what keeps rows from being put back although they were not changed since.

    Only where it is `attended` by a person, a pinned memory or its pin goes.
    """
    pinned = {} if attended else _find_unpinned(reader, restorations)
    removed = {(r.table, r.key) for r in restorations if r.values is None}
    created = {(r.table, r.key) for r in restorations if r.values is not None and not r.replaces}
    tied = _find_ties(reader, restorations, removed)
    conflicts: list[Conflict] = []
    for r in restorations:
        reason: str | None = None
        if r.table == "memories" and r.key in pinned:
            reason = "it is pinned; only a person takes that back"
        elif r.values is None:
            reason = tied.get((r.table, r.key)) or _still_needed(reader, r, removed)
        elif r.replaces:
            reason = _explain_pinned(reader, r) or _explain_lost_successor(reader, r, created)
        elif any(
            end in removed or (end not in created and not reader.rows([end])) for end in _ends(r)
        ):
            reason = "what it joins is gone"
        elif (twin := _twin(reader, r)) is not None and (r.table, twin) not in removed:
            reason = "the same was made anew since"
        if reason is not None:
            conflicts.append(Conflict(r.table, r.key, reason))
    return conflicts


def _find_unpinned(reader: Reader, restorations: Sequence[Restoration]) -> dict[int, str]:
    """Returns the pinned memories, ids by key, that these remove or leave without their pin."""
    going = [r for r in restorations if r.values is None or r.values.get("pinned") == 0]
    return reader.pinned_among([r.key for r in going if r.table == "memories"])


def _find_ties(
    writer: Writer, restorations: Sequence[Restoration], removed: set[Place]
) -> dict[Place, str]:
    """Returns memories to be removed although a link, a cluster or a replaced one names them."""
    keys = [r.key for r in restorations if r.table == "memories" and r.values is None]
    if not keys:
        return {}
    found: dict[Place, str] = {}
    ids = {
        row["id"]: key for (_, key), row in writer.rows([("memories", key) for key in keys]).items()
    }
    writer.foresee(*foresight.ties(keys), foresight.replaced_by(ids))
    edges, memberships = writer.ties(keys)
    stay = [("edges", key) for key in edges] + [("memberships", key) for key in memberships]
    for row in writer.rows([place for place in stay if place not in removed]).values():
        for end in ("source", "target", "memory"):
            if end in row:
                found["memories", row[end]] = "it was linked or put into a cluster since"
    changed = {
        r.key for r in restorations if r.table == "memories" and "superseded_by" in (r.values or {})
    }
    for old in writer.replaced_by(ids):
        if ("memories", old["key"]) not in removed and old["key"] not in changed:
            found["memories", ids[old["superseded_by"]]] = "it has replaced another memory since"
    return found


def _still_needed(reader: Reader, r: Restoration, removed: set[Place]) -> str | None:
    if r.table == "clusters" and any(
        ("memberships", row["key"]) not in removed for row in reader.members(r.key)
    ):
        return "it was filled since"
    return None


def _explain_pinned(reader: Reader, r: Restoration) -> str | None:
    """Returns why a pinned memory stays: not even an undo archives or trashes it."""
    values = r.values or {}
    leaves = values.get("state", "LIVE") != "LIVE" or values.get("superseded_by") is not None
    if (
        r.table == "memories"
        and leaves
        and reader.rows([("memories", r.key)])["memories", r.key]["pinned"]
    ):
        return "it is pinned; unpin it first"
    return None


def _explain_lost_successor(reader: Reader, r: Restoration, created: set[Place]) -> str | None:
    """Returns why a memory cannot be replaced again: its successor was removed for good."""
    successor = (r.values or {}).get("superseded_by")
    if r.table != "memories" or successor is None or reader.memory(successor) is not None:
        return None
    back = reader.removed_key(successor)
    return None if ("memories", back) in created else "what replaced it is gone"


def _ends(r: Restoration) -> list[Place]:
    """Returns the rows that a link or membership joins."""
    values = r.values or {}
    if r.table == "edges":
        return [("memories", values["source"]), ("memories", values["target"])]
    if r.table == "memberships":
        return [("clusters", values["cluster"]), ("memories", values["memory"])]
    return []


def _twin(reader: Reader, r: Restoration) -> int | None:
    """Returns the key of a row that says the same as the one to be put back."""
    values = r.values or {}
    found: Row | None = None
    if r.table == "edges":
        found = reader.edge(values["source"], values["target"], values["type"])
    elif r.table == "memberships":
        found = next(iter(reader.members(values["cluster"], of=[values["memory"]])), None)
    elif r.table == "clusters":
        found = next((row for row in reader.clusters() if row["name"] == values["name"]), None)
    elif r.table == "pages":
        found = reader.page_text(values["name"])
    elif r.table == "tombstones":
        found = next(iter(reader.tombstones_with([values["fingerprint"]])), None)
    return found["key"] if found else None


def _known_rows(
    reader: Reader, places: Sequence[Place], restorations: Sequence[Restoration]
) -> dict[Place, Row]:
    """Returns each row as it is or, where it is gone, as it will be or as the journal knows it."""
    known: dict[Place, Row] = {(r.table, r.key): r.values for r in restorations if r.values}
    known |= reader.rows(places)
    lost = [place for place in places if place not in known]
    for entry in reader.entries_after(lost, 0):
        if "id" in entry.image:  # of what is gone the journal still knows the id
            known[entry.table, entry.key] = {"id": entry.image["id"]}
    return known


def _names(reader: Reader, known: Mapping[Place, Row], places: Sequence[Place]) -> dict[Place, str]:
    """Returns the name of each row in the receipt: an id, or for a link what it joins."""
    ends_of = {"edges": ("source", "target"), "memberships": ("memory",)}
    keys = {
        row[end]
        for (table, _), row in known.items()
        for end in ends_of.get(table, ())
        if end in row
    }
    ends = {
        key: row["id"] for (_, key), row in reader.rows([("memories", key) for key in keys]).items()
    }
    return {place: _name(place, known.get(place, {}), ends) for place in places}


def _name(place: Place, row: Row, ends: dict[int, str]) -> str:
    table, key = place
    if table == "edges" and row:
        return f"{ends.get(row['source'])}:{row['type']}:{ends.get(row['target'])}"
    if table == "memberships" and row:
        return f"membership of {ends.get(row['memory'])}"
    if table == "tombstones":
        return f"tombstone {key}"
    return str(row.get("id") or row.get("name") or f"{table} {key}")
