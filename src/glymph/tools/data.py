"""Values as data for an agent: enough to act on, short enough to read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from glymph.model import Added, Hit, Memory, Receipt
from glymph.plain import plain
from glymph.prune.plan import Group, Plan, say_plan
from glymph.text.tokens import tokens


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
    return {"plan_id": found.id, "text": found.text, **_dump_groups(found)}


def _dump_groups(found: Plan) -> dict[str, Any]:
    data: dict[str, Any] = plain(found)
    for group, dumped in zip(found.groups, data["groups"], strict=True):
        dumped["node_ids"] = list(group.node_ids)
        dumped["node_count"] = group.node_count
    return data


def dump_part_of_plan(found: Plan, first: int, skip: int = 0, *, budget: int) -> dict[str, Any]:
    """Returns what of a plan fits a budget of tokens, from a group on, and in it from a member on.

    `next_cursor` is the place where to go on, `next_group` the group behind those shown. Of a group
    that does not fit by itself, some members are listed; `node_count` counts them all. `rest` names
    the groups that did not fit.
    """
    shown, cursor = _fill(found, first, skip, budget)
    listing = replace(found, groups=tuple(shown))
    part = dump_plan(listing)
    counts = {group.group: found.groups[group.group - 1].node_count for group in shown}
    part["text"] = say_plan(listing, counts)
    for dumped in part["groups"]:
        every, listed = counts[dumped["group"]], dumped["node_count"]
        dumped["node_count"] = every
        if listed < every:
            part["text"] += (
                f"\n{listed} of the {every} members of group {dumped['group']} are listed."
            )
    after = first + len(shown)
    next_group = after if after <= len(found.groups) else None
    rest = [
        {"group": one.group, "label": one.label, "node_count": one.node_count}
        for one in found.groups[after - 1 :]
    ]
    return {**part, "next_group": next_group, "next_cursor": cursor, "rest": rest}


def _fill(found: Plan, first: int, skip: int, budget: int) -> tuple[list[Group], str | None]:
    """Returns the groups that fit, the last one maybe in part, and the place of the rest."""
    shown: list[Group] = []
    left = budget - tokens(json.dumps(dump_plan(replace(found, groups=())), ensure_ascii=False))
    for number, whole in enumerate(found.groups[first - 1 :], first):
        group = replace(whole, nodes=whole.nodes[skip:])
        cost = _count_tokens(found, group)
        if cost > left and shown:
            return shown, f"{number}.0"
        if cost > left:
            kept = max(1, int(len(group.nodes) * max(left, 0) / cost))
            if kept < len(group.nodes):
                return [replace(group, nodes=group.nodes[:kept])], f"{number}.{skip + kept}"
        shown.append(group)
        left, skip = left - cost, 0
    return shown, None


def parse_place(place: str) -> tuple[int, int]:
    """Returns the group that a place in a plan is in, and how many members are before it."""
    group, _, members = place.partition(".")
    return int(group), int(members)


def _count_tokens(found: Plan, group: Group) -> int:
    alone = replace(found, groups=(group,))
    return tokens(json.dumps(_dump_groups(alone)["groups"], ensure_ascii=False) + alone.text)


def dump_receipt(done: Receipt) -> dict[str, Any]:
    """Returns the receipt of an operation."""
    data: dict[str, Any] = plain(done)
    return data
