"""Values as data for an agent: enough to act on, short enough to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from glymph.model import Added, Hit, Memory, Receipt
from glymph.plain import plain
from glymph.prune.plan import Plan


def shorten_memory(memory: Memory) -> dict[str, Any]:
    """Returns what one needs to use a memory."""
    shown: dict[str, Any] = {
        "id": memory.id,
        "kind": memory.kind,
        "title": memory.title,
        "text": memory.text,
        "state": memory.state,
        "lifecycle": memory.lifecycle,
        "retrievability": round(memory.retrievability, 4),
        "created_at": memory.created_at,
    }
    for name in ("space", "event_at", "tags", "superseded_by", "pinned", "source"):
        value = getattr(memory, name)
        if value and not (name == "space" and value == "default"):
            shown[name] = value
    result: dict[str, Any] = plain(shown)
    return result


def dump_memory(memory: Memory) -> dict[str, Any]:
    """Returns everything there is to know about a memory."""
    data: dict[str, Any] = plain(memory)
    return data


def dump_hit(found: Hit) -> dict[str, Any]:
    """Returns a hit: the memory in short, its score and why it was found."""
    parts = {name: round(value, 4) for name, value in found.parts.items()}
    shown = {
        **shorten_memory(found.memory),
        "score": round(found.score, 4),
        "parts": parts,
        "why": found.why,
    }
    if found.maybe_outdated_by:
        shown["maybe_outdated_by"] = list(found.maybe_outdated_by)
    return shown


def dump_added(outcome: Added, nearest: Sequence[Memory] = ()) -> dict[str, Any]:
    """Returns what came of adding a memory, with the older ones nearest to it."""
    near = [
        {"id": one.id, "text": one.text, "created_at": plain(one.created_at)} for one in nearest
    ]
    return {**plain(outcome), "created": outcome.created, "nearest": near}


def dump_plan(found: Plan) -> dict[str, Any]:
    """Returns a plan to prune, with its text for a reader."""
    data: dict[str, Any] = plain(found)
    for group, dumped in zip(found.groups, data["groups"], strict=True):
        dumped["node_ids"] = list(group.node_ids)
        dumped["node_count"] = group.node_count
    return {"plan_id": found.id, "text": found.text, **data}


def dump_receipt(done: Receipt) -> dict[str, Any]:
    """Returns the receipt of an operation."""
    data: dict[str, Any] = plain(done)
    return data
