"""A made-up space with a graph like those that grow.

It has clusters with a heavy tail, one giant tangle, and some loners.

It is put into a store by plain inserts, without a journal: what is measured there reads, and a
million memories by `add_many` would take minutes.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw
import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import keeping, shelf
from glymph import Glymph
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.decay.sections import kind_profile
from glymph.moments import MICROS_PER_DAY
from glymph.store.backends.sqlite import migrations
from glymph.testing.files import open_file

VERSION = 1  # of what is grown here; the engine's schema is part of a file's name by itself
KINDS = "event fact preference decision note lesson signal goal thesis trade_entry trade_close playbook".split()
TYPES = list(DEFAULT_WEIGHTS)
BRIDGES = (
    "mentioned_together",
    "related_to",
    "similar_to",
    "user_linked",
)  # between clusters of the tangle
DAYS = 730
NOW = 1_785_000_000_000_000  # microseconds: a day in July 2026
LONERS, TANGLED = 0.04, 0.35  # shares of memories without a link, and of those in the tangle
TAIL, LARGEST = 1.2, 1_500  # of cluster sizes
BRIDGED = 3  # links from a cluster of the tangle to others
LATELY = 60.0  # days within which most links of the tangle were used

Table = Mapping[str, NDArray[Any]]
NEVER = -1


@dataclass(frozen=True, slots=True)
class Grown:
    """Columns of memories, numbered by creation, and of links between those numbers."""

    memories: Table
    edges: Table
    cluster: NDArray[np.int64]  # of each memory, as planted


def grow(count: int, seed: int) -> Grown:
    """`count` memories and three links for each, spread over two years."""
    random = np.random.default_rng(seed)
    cluster, tangled = _clusters(count, random)
    created = _created(cluster, random)
    order = np.argsort(created, kind="stable")
    created, cluster = created[order], cluster[order]
    source, target, bridge = _links(cluster, tangled, random)
    used = random.random(count) < 0.35
    last = np.where(
        used, created + (random.random(count) * (NOW - created)).astype(np.int64), NEVER
    )
    memories = {
        "created_at": created, "last_used_at": last, "kind": random.integers(len(KINDS), size=count),
        "access_count": np.where(used, random.geometric(0.2, size=count), 0),
        "stability": random.choice([2.0, 7.0, 14.0, 21.0, 60.0, 90.0, 180.0], size=count) * (1 + used),
        "archived": random.random(count) < 0.03, "superseded": random.random(count) < 0.02,
    }  # fmt: skip
    return Grown(
        memories, _edges(source, target, bridge, created, tangled[cluster[source]], random), cluster
    )


def _clusters(
    count: int, random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The cluster of each memory, and which clusters are part of the tangle.

    Loners have a cluster of their own.
    """
    loners = int(count * LONERS)
    sizes = np.minimum(2 * (1 - random.random(count)) ** (-1 / TAIL), LARGEST).astype(np.int64)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), count - loners, side="right"))]
    rest = count - loners - int(sizes.sum())
    sizes = np.concatenate([sizes, [rest] if rest else [], np.ones(loners)]).astype(np.int64)
    tangled = random.random(len(sizes)) < TANGLED
    tangled[len(sizes) - loners :] = False
    return np.repeat(np.arange(len(sizes)), sizes), tangled


def _created(cluster: NDArray[np.int64], random: np.random.Generator) -> NDArray[np.int64]:
    begun = random.random(int(cluster[-1]) + 1) * DAYS
    at = begun[cluster] + random.exponential(20.0, size=len(cluster))
    at = np.where(at < DAYS, at, random.random(len(cluster)) * DAYS)
    return (NOW - (DAYS - at) * MICROS_PER_DAY).astype(np.int64)


def _links(
    cluster: NDArray[np.int64], tangled: NDArray[np.bool_], random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Sources, targets and whether a link leaves its cluster.

    Each pair comes once, three for each memory.
    """
    count = len(cluster)
    by_cluster = np.argsort(cluster, kind="stable")
    sizes = np.bincount(cluster)
    starts = np.cumsum(sizes) - sizes
    place = np.empty(count, dtype=np.int64)
    place[by_cluster] = np.arange(count) - np.repeat(starts, sizes)
    pairs: list[NDArray[np.int64]] = []
    for newer in (True, False, False, False, False):  # a tree first: to one that was there before
        room = np.maximum(place if newer else sizes[cluster], 1)
        other = by_cluster[starts[cluster] + (random.random(count) * room).astype(np.int64)]
        pairs.append(np.stack([np.arange(count), other]))
    inner = np.concatenate(pairs, axis=1)
    ends = np.repeat(np.flatnonzero(tangled), BRIDGED)
    far = random.permutation(ends)
    outer = np.stack([by_cluster[_member(some, starts, sizes, random)] for some in (ends, far)])
    both = np.concatenate([outer, inner], axis=1)
    bridge = np.arange(both.shape[1]) < outer.shape[1]
    both = np.stack([both.max(axis=0), both.min(axis=0)])
    fine = np.flatnonzero(both[0] != both[1])
    _, first = np.unique(both[0][fine] * count + both[1][fine], return_index=True)
    fine = fine[np.sort(first)][: 3 * count]
    return both[0][fine], both[1][fine], bridge[fine]


def _member(
    clusters: NDArray[np.int64],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    random: np.random.Generator,
) -> NDArray[np.int64]:
    return starts[clusters] + (random.random(len(clusters)) * sizes[clusters]).astype(np.int64)


def _edges(
    source: NDArray[np.int64], target: NDArray[np.int64], bridge: NDArray[np.bool_],
    created: NDArray[np.int64], tangled: NDArray[np.bool_], random: np.random.Generator,
) -> Table:  # fmt: skip
    count = len(source)
    kind = random.integers(len(TYPES), size=count)
    kind = np.where(
        bridge, random.choice([TYPES.index(name) for name in BRIDGES], size=count), kind
    )
    made = np.maximum(created[source], created[target])
    lately = (NOW - random.random(count) * LATELY * MICROS_PER_DAY).astype(np.int64)
    some_day = made + (random.random(count) * (NOW - made)).astype(np.int64)
    chance = random.random(count)
    used = np.where(
        tangled & (chance < 0.6), np.maximum(lately, made), np.where(chance < 0.3, some_day, NEVER)
    )
    weight = np.array(list(DEFAULT_WEIGHTS.values()))[kind] + 0.03 * random.integers(3, size=count)
    return {
        "source": source, "target": target, "type": kind, "weight": np.minimum(weight, 1.0), "created_at": made,
        "last_used_at": used, "bridge": bridge,
    }  # fmt: skip


# in a store


def planted(count: int, seed: int) -> Path:
    """A store whose space `default` has grown like that; made once and kept."""
    folder = keeping.folder() / f"grown-{count}-{seed}-{VERSION}-{shelf._schema()}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        with Glymph.open(f"sqlite:///{unfinished / 'memory.db'}"):
            pass
        _fill(open_file(unfinished / "memory.db"), grow(count, seed))
        unfinished.rename(folder)
    return folder / "memory.db"


def _fill(connection: apsw.Connection, grown: Grown) -> None:
    with connection:
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        first = int(connection.execute("SELECT max(key) + 1 FROM memories").get)
        connection.executemany(
            "INSERT INTO memories(key, space_id, id, kind, section, title, text, state, state_at, state_by, "
            "salience, trust, created_at, updated_at, last_used_at, access_count, stability, difficulty, "
            "content_hash, superseded_by) "
            "VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, 'add', 0.5, 0.5, ?, ?, ?, ?, ?, 2.1, ?, ?)",
            _memory_rows(grown.memories, first),
        )
        columns = [
            grown.edges[name].tolist() for name in ("type", "weight", "created_at", "last_used_at")
        ]
        ends = [(grown.edges[name] + first).tolist() for name in ("source", "target")]
        connection.executemany(
            "INSERT INTO edges(space_id, source, target, type, weight, created_at, last_used_at) "
            "VALUES (1, ?, ?, ?, ?, ?, ?)",
            (
                (source, target, TYPES[kind], weight, made, None if used == NEVER else used)
                for source, target, kind, weight, made, used in zip(*ends, *columns, strict=True)
            ),
        )
        connection.execute("INSERT INTO memory_text(memory_text) VALUES ('rebuild')")
        migrations.install_triggers(connection)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()


def _memory_rows(memories: Table, first: int) -> Iterator[tuple[Any, ...]]:
    columns = [column.tolist() for column in memories.values()]
    for number, (made, used, code, uses, stability, archived, superseded) in enumerate(
        zip(*columns, strict=True)
    ):
        kind, text = KINDS[code], f"memory number {number}"
        yield (
            first + number, _id(number), kind, str(kind_profile(kind).section), text, text,
            "ARCHIVED" if archived else "LIVE", made, made, made, None if used == NEVER else used, uses, stability,
            f"{number:064x}", _id(number + 1) if superseded else None,
        )  # fmt: skip


def _id(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012x}"
