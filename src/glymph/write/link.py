"""Typed, weighted links between two memories of one space."""

from __future__ import annotations

from glymph.checks import checked_edge_type, checked_id, checked_share
from glymph.context import Context, OpenOperation
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.errors import InvalidInput, MemoryNotFound, Pinned
from glymph.model import Edge, Receipt, State
from glymph.store import foresight, records
from glymph.write.replace import find_former_heir, list_heirs, show_again, supersede


def link(
    ctx: Context,
    a: str,
    b: str,
    *,
    type: str = "user_linked",
    weight: float | None = None,
    reason: str | None = None,
) -> Receipt:
    """Links a to b; an existing link of that type takes the new weight, if one is given.

    A link `supersedes` hides b behind a, as `supersede` does.
    """
    checked_id(a), checked_id(b)
    edge_type = checked_edge_type(type)
    strength = DEFAULT_WEIGHTS[edge_type] if weight is None else checked_share("weight", weight)
    if strength == 0.0:
        raise InvalidInput("weight", "0 would be no link. Use unlink().")
    ahead = [foresight.memories([a, b]), foresight.edge_of(a, b, edge_type)]
    with ctx.operation("link", reason=reason, ahead=ahead) as op:
        source, target = _ends(op, a, b)
        hidden = edge_type == "supersedes" and _hide(op, a, b)
        edge = op.writer.edge_of(a, b, edge_type)
        if hidden and weight is None:
            pass  # it has its link
        elif edge is None:
            row = {
                "source": source,
                "target": target,
                "type": edge_type,
                "weight": strength,
                "created_at": op.now,
            }
            op.writer.insert("edges", [row])
        elif weight is not None and edge["weight"] != strength:
            op.writer.change("edges", {edge["key"]: {"weight": strength}})
        else:
            op.skip(a, f"a {edge_type} link to {b} exists already")
            edge_type = ""
        if edge_type:
            op.writer.bump([source, target])
            op.succeeded += [a, b]
    return ctx.receipt(op)


def unlink(
    ctx: Context, a: str, b: str, *, type: str = "user_linked", reason: str | None = None
) -> Receipt:
    """Removes the link of that type from a to b.

    Without a link `supersedes` b is shown again, unless it is behind another memory by such a link.
    """
    checked_id(a), checked_id(b)
    edge_type = checked_edge_type(type)
    ahead = [foresight.memories([a, b]), foresight.edge_of(a, b, edge_type)]
    with ctx.operation("unlink", reason=reason, ahead=ahead) as op:
        source, target = _ends(op, a, b)
        edge = op.writer.edge_of(a, b, edge_type)
        if edge is None:
            op.skip(a, f"there is no {edge_type} link to {b}")
        else:
            older = op.row(b)
            op.writer.remove("edges", [edge["key"]])
            if edge_type == "supersedes" and older["superseded_by"] == a:
                if former := find_former_heir(op.writer, older):
                    supersede(op, older, former)
                else:
                    show_again(op, older)
            op.writer.bump([source, target])
            op.succeeded += [a, b]
    return ctx.receipt(op)


def _hide(op: OpenOperation, a: str, b: str) -> bool:
    """Hides b behind a, unless it is hidden so; tells whether it was not."""
    newer, older = op.row(a), op.row(b)
    if older["superseded_by"] == a:
        return False
    if newer["state"] != State.LIVE:
        raise InvalidInput("a", "it is not live, and would hide b for nothing. Restore it first.")
    if b in list_heirs(op.writer, newer):
        raise InvalidInput("b", "it has replaced a itself, or what has. Unlink that first.")
    if older["pinned"]:
        raise Pinned(b)
    supersede(op, older, newer)
    return True


def _ends(op: OpenOperation, a: str, b: str) -> tuple[int, int]:
    if a == b:
        raise InvalidInput("b", "a memory cannot be linked to itself. Name another one.")
    rows = op.writer.memories([a, b])
    for end in (a, b):
        if end not in rows:
            raise MemoryNotFound(end, op.writer.space)
    return rows[a]["key"], rows[b]["key"]


def edges_of(ctx: Context, memory_id: str) -> list[Edge]:
    """Returns the links of a memory to and from live ones."""
    checked_id(memory_id)
    with ctx.reading() as reader:
        if reader.memory(memory_id) is None:
            raise MemoryNotFound(memory_id, ctx.space)
        return [records.edge(row) for row in reader.edges(of=memory_id)]
