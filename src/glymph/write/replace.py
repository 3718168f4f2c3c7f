"""The carrying out of a judgement while the new statement is added.

Older statements are flagged, put in question or linked. Nothing of it takes an older memory out of
recall; only `supersede`, on somebody's word, does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from glymph.context import Context, OpenOperation
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.model import State
from glymph.moments import MICROS_PER_DAY
from glymph.store.contract import Row
from glymph.write.compare import Judgement, Target

MOST_CONNECTED = 5


@dataclass(slots=True)
class Effects:
    """The effects of a new memory on older ones: their ids, the conflicts raised, and why."""

    superseded: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)
    why: list[str] = field(default_factory=list)


def carry_out(ctx: Context, op: OpenOperation, new: Row, judgement: Judgement) -> Effects:
    """Does what was judged, as far as the older memories are still what they were then."""
    standing = _find_unchanged(
        op, [*judgement.newer_than, *judgement.conflicts, *judgement.connects]
    )

    def still(targets: Iterable[Target]) -> list[Target]:
        return [(old, reason) for old, reason in targets if old["id"] in standing]

    done = Effects()
    questions = still(judgement.conflicts)
    for old, reason in still(judgement.replaces):
        if old["pinned"] or old["protected"]:
            questions.append((old, f"{reason}; the older one is pinned"))
            continue
        join(op, new, old, "supersedes")
        done.superseded.append(old["id"])
        done.why.append(f"it updates {old['title']!r}: {reason}")
    for old, reason in still(judgement.updates):
        join(op, new, old, "supersedes")
        done.superseded.append(old["id"])
        done.why.append(f"it updates a part of {old['title']!r}: {reason}")
    for old, reason in questions:
        done.conflicts.append(raise_conflict(ctx, op, old["id"], new["id"], reason))
        done.why.append(f"it may contradict {old['title']!r}: {reason}")
    for old, reason in still(judgement.connects)[:MOST_CONNECTED]:
        join(op, new, old, "similar_to")
        done.connected.append(old["id"])
        done.why.append(f"it is near {old['title']!r}: {reason}")
    return done


def _find_unchanged(op: OpenOperation, targets: Iterable[Target]) -> set[str]:
    """Returns the ids of those that nobody has changed since they were judged."""
    judged = {row["id"]: row["version"] for row, _ in targets}
    rows = op.writer.memories(judged)
    return {
        i for i, row in rows.items() if row["version"] == judged[i] and row["state"] == State.LIVE
    }


def supersede(op: OpenOperation, old: Row, new: Row) -> None:
    """Makes a newer memory take an older one's place.

    The older one is kept, chained, and out of recall.
    """
    op.writer.change(
        "memories", {old["key"]: {"superseded_by": new["id"], "version": old["version"] + 1}}
    )
    _edge(op, new, old, "supersedes")


def join(op: OpenOperation, source: Row, target: Row, edge_type: str) -> None:
    """Links two memories, of which the second was there before."""
    if op.writer.edge(source["key"], target["key"], edge_type) is None:
        _edge(op, source, target, edge_type)
        op.writer.bump([target["key"]])


def _edge(op: OpenOperation, source: Row, target: Row, edge_type: str) -> None:
    edge: dict[str, Any] = {
        "source": source["key"], "target": target["key"], "type": edge_type,
        "weight": DEFAULT_WEIGHTS[edge_type], "created_at": op.now,
    }  # fmt: skip
    op.writer.insert("edges", [edge])


def raise_conflict(ctx: Context, op: OpenOperation, older: str, newer: str, reason: str) -> str:
    """Puts a question to whoever decides; unanswered, both statements stay. Gives back its id."""
    conflict_id = ctx.new_id(op.now)
    row = {
        "id": conflict_id, "older": older, "newer": newer, "reason": reason, "raised_at": op.now,
        "expires_at": op.now + ctx.settings.conflict_days * MICROS_PER_DAY,
    }  # fmt: skip
    op.writer.insert("conflicts", [row])
    return conflict_id
