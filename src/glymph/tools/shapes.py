"""How tools show values: enough for an agent to act on, short enough to read."""

from __future__ import annotations

from typing import Any

from glymph.model import Added, Hit, Memory, Receipt
from glymph.plain import plain
from glymph.prune.plan import Plan


def brief(memory: Memory) -> dict[str, Any]:
    """What one needs to use a memory."""
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


def full(memory: Memory) -> dict[str, Any]:
    """Everything there is to know about a memory."""
    shown: dict[str, Any] = plain(memory)
    return shown


def hit(found: Hit) -> dict[str, Any]:
    parts = {name: round(value, 4) for name, value in found.parts.items()}
    shown = {
        **brief(found.memory),
        "score": round(found.score, 4),
        "parts": parts,
        "why": found.why,
    }
    return {**shown, "updated_by": list(found.updated_by)} if found.updated_by else shown


def added(outcome: Added) -> dict[str, Any]:
    return {**plain(outcome), "created": outcome.created}


def plan(found: Plan) -> dict[str, Any]:
    """A plan as data, with the text a reader wants beside it."""
    shown: dict[str, Any] = plain(found)
    for group, told in zip(found.groups, shown["groups"], strict=True):
        told["node_ids"] = list(group.node_ids)
        told["node_count"] = group.node_count
    return {"plan_id": found.id, "text": found.text, **shown}


def receipt(done: Receipt) -> dict[str, Any]:
    shown: dict[str, Any] = plain(done)
    return shown
