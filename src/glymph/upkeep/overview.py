"""A space as a whole: its graph as plain data, and its health in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context, every_row
from glymph.decay import lifecycle
from glymph.model import Graph, Health, Lifecycle, Memory, State
from glymph.moments import MICROS_PER_DAY, iso, micros, moment
from glymph.store import columns, records
from glymph.store.arrays import NEVER, SECTIONS, STATES, Columns
from glymph.store.contract import Filter
from glymph.store.reader import Reader
from glymph.write.clusters import clusters_in

SUMMARY_CHARS = 200
WEEK = 7 * MICROS_PER_DAY


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


@dataclass(frozen=True, slots=True)
class Flow:
    """A week of a space: how many memories came, and how many were put away and still are."""

    start: datetime
    added: int
    left: int


def health(ctx: Context) -> Health:
    """Counts memories by lifecycle, state, section and kind, without the space's identity."""
    with ctx.reading() as reader:
        return health_in(reader, columns.read(reader).columns, now=micros(ctx.now()))


def health_in(reader: Reader, held: Columns, *, now: int) -> Health:
    """Counts the memories that a reader has in columns."""
    newest = reader.operations(limit=1)
    counted = ~held.of_kind("self")
    memories = {name: column[counted] for name, column in held.memories.items()}
    states = dict(zip(STATES, np.bincount(memories["state"], minlength=len(STATES)), strict=True))
    live = memories["state"] == STATES.index(State.LIVE)
    stages = _count_stages(held, {name: c[live] for name, c in memories.items()}, reader, now)
    return Health(
        space=reader.space,
        live=stages[Lifecycle.ACTIVE] + stages[Lifecycle.WEAK],
        active=stages[Lifecycle.ACTIVE],
        weak=stages[Lifecycle.WEAK],
        dormant=stages[Lifecycle.DORMANT],
        archived=int(states[State.ARCHIVED]),
        trashed=int(states[State.TRASHED]),
        pinned=int(memories["pinned"][live].sum()),
        superseded=int(memories["superseded"][live].sum()),
        edges=_count_links(held),
        by_section=_count_names(memories["section"][live], [one.value for one in SECTIONS]),
        by_kind=_count_names(memories["kind"][live], held.kinds),
        operations=reader.operation_count(),
        last_operation_at=moment(newest[0]["at"]) if newest else None,
    )


def _count_stages(
    held: Columns, live: Mapping[str, NDArray[Any]], reader: Reader, now: int
) -> dict[Lifecycle, int]:
    sections = [section.value for section in SECTIONS]
    anchors = np.where(
        live["last_used_at"] == NEVER, live["created_at"], live["last_used_at"]
    ).tolist()
    values = lifecycle.retrievability(
        curves=reader.curves(),
        kinds=[held.kinds[code] for code in live["kind"].tolist()],
        sections=[sections[code] for code in live["section"].tolist()],
        stability=live["stability"].tolist(),
        anchors=anchors,
        now=now,
    )
    active, awake = lifecycle.is_active(values), lifecycle.is_awake(values)
    return {
        Lifecycle.ACTIVE: int(active.sum()),
        Lifecycle.WEAK: int((awake & ~active).sum()),
        Lifecycle.DORMANT: int((~awake).sum()),
    }


def _count_links(held: Columns) -> int:
    """Counts the links between live memories, the identity included."""
    live, find = held.memories["state"] == STATES.index(State.LIVE), held.finder()
    return int((live[find(held.edges["source"])] & live[find(held.edges["target"])]).sum())


def _count_names(codes: NDArray[Any], names: Sequence[str]) -> dict[str, int]:
    counts = np.bincount(codes, minlength=len(names)).tolist()
    return dict(sorted((name, n) for name, n in zip(names, counts, strict=True) if n))


@dataclass(frozen=True, slots=True)
class Overview:
    """How many memories a space has at each stage, and the weeks in which they came and went."""

    active: int
    weak: int
    dormant: int
    archived: int
    trashed: int
    flows: tuple[Flow, ...]

    @property
    def alive(self) -> int:
        return self.active + self.weak + self.dormant

    @property
    def whole(self) -> int:
        return self.alive + self.archived + self.trashed


def count_arrivals(ctx: Context, *, weeks: int) -> list[tuple[datetime, int]]:
    """Returns how many memories came in each of the weeks up to now, the oldest first."""
    shown = _number_weeks(micros(ctx.now()), weeks)
    with ctx.reading() as reader:
        added = reader.created_per(WEEK, since=shown.start * WEEK)
    return [(moment(week * WEEK), added.get(week, 0)) for week in shown]


def _number_weeks(now: int, weeks: int) -> range:
    last = now // WEEK
    return range(last - weeks + 1, last + 1)


def oversee(ctx: Context, *, weeks: int) -> Overview:
    """Counts a space at a glance: by the database, which is quick for a first look, too."""
    now = micros(ctx.now())
    shown = _number_weeks(now, weeks)
    with ctx.reading() as reader:
        stages = reader.count_stages(now=now, spans=lifecycle.spans(reader.curves()))
        added = reader.created_per(WEEK, since=shown.start * WEEK)
        put_away = reader.put_away_per(WEEK)
    states, left = Counter[str](), Counter[int]()
    for row in put_away:
        states[row["state"]] += row["n"]
        left[row["number"]] += row["n"]
    return Overview(
        active=stages.active,
        weak=stages.awake - stages.active,
        dormant=stages.live - stages.awake,
        archived=states[State.ARCHIVED],
        trashed=states[State.TRASHED],
        flows=tuple(Flow(moment(week * WEEK), added.get(week, 0), left[week]) for week in shown),
    )
