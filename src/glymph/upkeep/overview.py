"""A space as a whole: its graph as plain data, and its health in numbers."""

from __future__ import annotations

from collections import Counter
from typing import Any

from glymph.context import Context, every_row
from glymph.decay import lifecycle
from glymph.model import Graph, Health, Lifecycle, Memory, State
from glymph.moments import iso, micros, moment
from glymph.store import records
from glymph.store.contract import Filter
from glymph.write.clusters import clusters_in

SUMMARY_CHARS = 200


def graph(ctx: Context) -> Graph:
    """Returns every live memory, superseded ones included, with their links and clusters.

    All is from one moment, and each link and membership joins nodes that are there.
    """
    now = ctx.now()
    with ctx.reading() as reader:
        rows = list(every_row(reader, Filter(include_superseded=True), ctx.settings.max_page))
        links = [records.edge(row) for row in reader.edges()]
        found = clusters_in(reader, ctx, now)
        nodes = tuple(_node(memory) for memory in records.memories(rows, reader, now))
    shown = {row["id"] for row in rows}
    edges = tuple(
        {"id": e.id, "source": e.source, "target": e.target, "type": e.type, "weight": e.weight}
        for e in links
        if e.source in shown and e.target in shown
    )
    members = {c.id: [m for m in c.members if m in shown] for c in found}
    memberships = tuple({"cluster": c.id, "memory": m} for c in found for m in members[c.id])
    return Graph(
        nodes=nodes,
        edges=edges,
        clusters=tuple(
            {"id": c.id, "name": c.name, "rule": c.rule, "size": len(members[c.id])} for c in found
        ),
        memberships=memberships,
        counts={
            "nodes": len(nodes),
            "edges": len(edges),
            "clusters": len(found),
            "memberships": len(memberships),
        },
    )


def _node(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "kind": memory.kind,
        "section": str(memory.section),
        "title": memory.title,
        "summary": memory.text[:SUMMARY_CHARS],
        "retrievability": memory.retrievability,
        "lifecycle": str(memory.lifecycle),
        "state": str(memory.state),
        "access_count": memory.access_count,
        "created_at": iso(memory.created_at),
        "last_used_at": iso(memory.last_used_at),
    }


def health(ctx: Context) -> Health:
    """Counts memories by lifecycle, state, section and kind, without the space's identity."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        rows, curves = reader.summary(), reader.curves()
        edges = len(reader.edges())
        newest = reader.operations(limit=1)
        total = reader.operation_count()
        live = [row for row in rows if row["state"] == State.LIVE]
        values = lifecycle.retrievability(
            curves=curves,
            kinds=[row["kind"] for row in live],
            sections=[row["section"] for row in live],
            stability=[row["stability"] for row in live],
            anchors=[row["anchor"] for row in live],
            now=now,
        ).tolist()
        stages = Counter(lifecycle.lifecycle(value, State.LIVE) for value in values)
        states = Counter(row["state"] for row in rows)
        return Health(
            space=ctx.space,
            live=stages[Lifecycle.ACTIVE] + stages[Lifecycle.WEAK],
            active=stages[Lifecycle.ACTIVE],
            weak=stages[Lifecycle.WEAK],
            dormant=stages[Lifecycle.DORMANT],
            archived=states[State.ARCHIVED],
            trashed=states[State.TRASHED],
            pinned=sum(row["pinned"] for row in live),
            superseded=sum(row["superseded"] for row in live),
            edges=edges,
            by_section=dict(sorted(Counter(row["section"] for row in live).items())),
            by_kind=dict(sorted(Counter(row["kind"] for row in live).items())),
            operations=total,
            last_operation_at=moment(newest[0]["at"]) if newest else None,
        )
