"""Carrying out a judgement: older statements replaced, put in question or linked, while the new one is added."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from glymph.core.edges import DEFAULT_WEIGHTS
from glymph.core.model import State
from glymph.core.timing import MICROS_PER_DAY
from glymph.services.compare import Judged, Target
from glymph.services.workplace import Operating, Workplace
from glymph.store.contract import Row

MOST_CONNECTED = 5


def carry_out(
    place: Workplace, op: Operating, new: Row, judgement: Judged
) -> tuple[list[str], list[str], list[str]]:
    """Does what was judged, as far as the older memories are still what they were then.

    Gives back the ids superseded, the ids of conflicts raised, and the ids connected.
    """
    standing = _unchanged(op, [*judgement.replaces, *judgement.updates, *judgement.conflicts, *judgement.connects])
    superseded: list[str] = []
    raised: list[str] = []
    for old, reason in judgement.replaces:
        if old["id"] not in standing:
            continue
        if old["pinned"] or old["protected"]:
            raised.append(raise_conflict(place, op, old["id"], new["id"], f"{reason}; the older one is pinned"))
        else:
            supersede(op, old, new)
            superseded.append(old["id"])
    for old, _ in judgement.updates:
        if old["id"] in standing:
            join(op, new, old, "supersedes")
            superseded.append(old["id"])
    for old, reason in judgement.conflicts:
        if old["id"] in standing:
            raised.append(raise_conflict(place, op, old["id"], new["id"], reason))
    connected = [old for old, _ in judgement.connects if old["id"] in standing][:MOST_CONNECTED]
    for old in connected:
        join(op, new, old, "similar_to")
    return superseded, raised, [old["id"] for old in connected]


def _unchanged(op: Operating, targets: Iterable[Target]) -> set[str]:
    """The ids of those that nobody has changed since they were judged."""
    judged = {row["id"]: row["version"] for row, _ in targets}
    rows = op.writer.memories(judged)
    return {i for i, row in rows.items() if row["version"] == judged[i] and row["state"] == State.LIVE}


def supersede(op: Operating, old: Row, new: Row) -> None:
    """Makes a newer memory take an older one's place; the older one is kept, chained, and out of recall."""
    op.writer.change("memories", {old["key"]: {"superseded_by": new["id"], "version": old["version"] + 1}})
    _edge(op, new, old, "supersedes")


def join(op: Operating, source: Row, target: Row, edge_type: str) -> None:
    """Links two memories, of which the second was there before."""
    if op.writer.edge(source["key"], target["key"], edge_type) is None:
        _edge(op, source, target, edge_type)
        op.writer.bump([target["key"]])


def _edge(op: Operating, source: Row, target: Row, edge_type: str) -> None:
    edge: dict[str, Any] = {
        "source": source["key"], "target": target["key"], "type": edge_type,
        "weight": DEFAULT_WEIGHTS[edge_type], "created_at": op.now,
    }  # fmt: skip
    op.writer.insert("edges", [edge])


def raise_conflict(place: Workplace, op: Operating, older: str, newer: str, reason: str) -> str:
    """Puts a question to whoever decides; unanswered, both statements stay. Gives back its id."""
    conflict_id = place.new_id(op.now)
    row = {
        "id": conflict_id, "older": older, "newer": newer, "reason": reason, "raised_at": op.now,
        "expires_at": op.now + place.settings.conflict_days * MICROS_PER_DAY,
    }  # fmt: skip
    op.writer.insert("conflicts", [row])
    return conflict_id
