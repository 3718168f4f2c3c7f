"""Makes a newer memory take an older one's place, or links two."""

from __future__ import annotations

import json
from typing import Any

from glymph.context import OpenOperation
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.model import State
from glymph.store.contract import Row
from glymph.store.reader import Reader

SHOWING = ("undo", "unlink", "unsupersede")


def supersede(op: OpenOperation, old: Row, new: Row) -> None:
    """Makes a newer memory take an older one's place.

    The older one is kept, chained, and out of recall.
    """
    op.writer.change(
        "memories", {old["key"]: {"superseded_by": new["id"], "version": old["version"] + 1}}
    )
    if op.writer.edge(new["key"], old["key"], "supersedes") is None:
        _edge(op, new, old, "supersedes")


def show_again(op: OpenOperation, old: Row) -> None:
    """Takes back that a memory was replaced; what replaced it stays."""
    op.writer.change(
        "memories", {old["key"]: {"superseded_by": None, "version": old["version"] + 1}}
    )


def list_heirs(reader: Reader, row: Row) -> list[str]:
    """Returns the ids of what stands in a memory's place, one behind the other."""
    heirs: list[str] = []
    while (successor := row["superseded_by"]) is not None and successor not in heirs:
        heirs.append(successor)
        row = reader.memory(successor) or {"superseded_by": None}
    return heirs


def find_former_heir(reader: Reader, old: Row) -> Row | None:
    """Returns the last live memory that has hidden an older one and is still linked to it so."""
    images = [json.loads(entry["image"] or "{}") for entry in reader.history(old["key"])]
    once = [image["superseded_by"] for image in images if image.get("superseded_by")]
    for memory_id in reversed(once):
        heir = reader.memory(memory_id)
        if (
            heir is not None
            and heir["state"] == State.LIVE
            and old["id"] not in list_heirs(reader, heir)
            and reader.edge(heir["key"], old["key"], "supersedes") is not None
        ):
            return heir
    return None


def was_shown_again(reader: Reader, key: int) -> bool:
    """Tells whether somebody has parted a memory from what replaced it: that is not done again."""
    return any(
        json.loads(entry["image"] or "{}").get("superseded_by") is not None
        for entry in reader.history(key)
        if entry["verb"] in SHOWING and entry["action"] == "update"
    )


def unflag(op: OpenOperation, new: Row, old: Row) -> None:
    """Takes back that a newer memory seemed to put an older one out of date."""
    if (edge := op.writer.edge(new["key"], old["key"], "supersedes")) is not None:
        op.writer.remove("edges", [edge["key"]])


def join(op: OpenOperation, source: Row, target: Row, edge_type: str, *, most: float = 1.0) -> None:
    """Links two memories, of which the second was there before, with at most that weight."""
    if op.writer.edge(source["key"], target["key"], edge_type) is None:
        _edge(op, source, target, edge_type, most)
        op.writer.bump([target["key"]])


def _edge(op: OpenOperation, source: Row, target: Row, edge_type: str, most: float = 1.0) -> None:
    edge: dict[str, Any] = {
        "source": source["key"], "target": target["key"], "type": edge_type,
        "weight": min(most, DEFAULT_WEIGHTS[edge_type]), "created_at": op.now,
    }  # fmt: skip
    op.writer.insert("edges", [edge])
