"""Memories as groupings need them: their fields, and links, vectors and clusters where needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from glymph.context import Context
from glymph.moments import micros
from glymph.prune.groupings import Item, Links, Material, Need, parse_grouping
from glymph.prune.stale_groups import find_holding_links
from glymph.prune.vectors import load_vectors
from glymph.store import columns as store_columns
from glymph.store import records
from glymph.store.arrays import Columns
from glymph.store.contract import Row
from glymph.store.reader import Reader


def load_material(
    ctx: Context,
    reader: Reader,
    rows: Sequence[Row],
    ways: Sequence[str],
    columns: Columns | None = None,
) -> Material:
    """Returns memories with what some ways of grouping need, in the order of the rows.

    Raises InvalidInput for a way that is not known.
    """
    return load_beside(ctx, reader, rows, [read_item(row) for row in rows], ways, columns)


def read_item(row: Row) -> Item:
    """Returns what a grouping sees of a memory; its clusters are read later, for all at once."""
    return Item(
        id=row["id"], title=row["title"], text=row["text"], tags=_words(row["tags"]),
        entities=_words(row["entities"]), attributes=records.attributes(row),
        session=row["session"],
    )  # fmt: skip


def load_beside(
    ctx: Context,
    reader: Reader,
    rows: Sequence[Row],
    items: Sequence[Item],
    ways: Sequence[str],
    columns: Columns | None = None,
) -> Material:
    """Returns items with what some ways need beside them.

    Of the rows, which are in the same order, only `key` and `content_hash` are read. Raises
    InvalidInput for a way that is not known.
    """
    needs: set[Need] = {need for way in ways for need in parse_grouping(way)[0].needs}
    if "clusters" in needs:
        clusters = _load_clusters(reader)
        items = [
            replace(one, clusters=clusters[one.id]) if one.id in clusters else one for one in items
        ]
    links = None
    if "links" in needs:
        held = columns or store_columns.read(reader).columns
        links = _load_links(held, rows, micros(ctx.now()))
    vectors = load_vectors(ctx, reader, rows) if "vectors" in needs else None
    return Material(items, links, vectors)


def _words(kept: str) -> Sequence[str]:
    return () if kept == "[]" else records.words(kept)


def _load_clusters(reader: Reader) -> Mapping[str, list[str]]:
    """Returns the names of the clusters that each memory is in, by its id."""
    names = {cluster["id"]: cluster["name"] for cluster in reader.clusters()}
    found: dict[str, list[str]] = defaultdict(list)
    for membership in reader.memberships():
        found[membership["memory_id"]].append(names[membership["cluster_id"]])
    return found


def _load_links(columns: Columns, rows: Sequence[Row], now: int) -> Links:
    """Returns the links of the whole space, so that groups are those that `analyze` shows."""
    found = find_holding_links(columns)
    return Links(
        nodes=columns.finder()(np.array([row["key"] for row in rows], dtype=np.int64)),
        count=columns.size,
        source=found.source,
        target=found.target,
        weight=found.weight,
    )
