"""Groups by something else than links: what carries the same tag, speaks of the same thing, was
said together.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from glymph.context import Context, every_row
from glymph.decay.sections import IDENTITY_KIND
from glymph.model import State
from glymph.moments import micros
from glymph.prune import staleness
from glymph.prune.groupings import Item, Material, grouped, understood
from glymph.prune.stale_groups import Pick, Ranking, add_picked, described, woven
from glymph.prune.vectors import load_vectors
from glymph.store import records
from glymph.store.arrays import STATES, Columns
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader

CHUNK = 1_000


def grouped_otherwise(
    ctx: Context,
    reader: Reader,
    columns: Columns,
    way: str,
    *,
    min_staleness: float,
    max_groups: int,
    pick: Pick | None = None,
) -> Ranking:
    """The stalest groups by a way of grouping, the stalest first. A memory may be in several of
    them. Of groups that are less stale, the members that `pick` marks are listed.
    """
    understood(way)
    now = micros(ctx.now())
    wanted = Filter(states=(State.LIVE,), include_superseded=True)
    rows = [row for row in every_row(reader, wanted, CHUNK) if row["kind"] != IDENTITY_KIND][::-1]
    material = _material(ctx, reader, columns, rows, now)
    vitals = staleness.vitals(columns.memories, columns.kinds, curves=reader.curves(), now=now)
    slots = columns.finder()(np.array([row["key"] for row in rows], dtype=np.int64))
    groups = [slots[np.array(places)] for places in grouped(material, way).values()]
    scores = [float(staleness.of_group(vitals.at(members)).score[0]) for members in groups]
    order = sorted(
        range(len(groups)), key=lambda at: (-scores[at], -len(groups[at]), int(groups[at][0]))
    )
    stale = [at for at in order if scores[at] >= min_staleness]
    states = np.bincount(columns.memories["state"], minlength=len(STATES))
    tissue = woven(columns, now=now)
    ranking = Ranking(
        groups=[described(columns, vitals, groups[at]) for at in stale[:max_groups]],
        stale=len(stale),
        memories=len(rows),
        edges=tissue.edges,
        connected=len(groups),
        isolated=len(rows) - len({slot for members in groups for slot in members.tolist()}),
        superseded=sum(row["superseded_by"] is not None for row in rows),
        archived=int(states[STATES.index(State.ARCHIVED)]),
        trashed=int(states[STATES.index(State.TRASHED)]),
    )
    if pick is None or not groups:
        return ranking
    members = np.concatenate(groups)
    group = np.repeat(np.arange(len(groups)), [len(one) for one in groups])
    marked = pick(members, group, len(groups)) & ~np.isin(group, stale)
    return add_picked(ranking, columns, vitals, members[marked], group[marked], most=max_groups)


def _material(
    ctx: Context, reader: Reader, columns: Columns, rows: list[Row], now: int
) -> Material:
    clusters: dict[str, list[str]] = defaultdict(list)
    names = {cluster["id"]: cluster["name"] for cluster in reader.clusters()}
    for membership in reader.memberships():
        clusters[membership["memory_id"]].append(names[membership["cluster_id"]])
    items = [
        Item(
            tags=records.words(row["tags"]), entities=records.words(row["entities"]),
            attributes=records.attributes(row), clusters=clusters.get(row["id"], ()), session=row["session"],
            title=row["title"],
        )
        for row in rows
    ]  # fmt: skip
    return Material(items, vectors=load_vectors(ctx, reader, rows))
