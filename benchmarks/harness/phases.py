"""A process that finds the stalest groups of a space step by step and tells what each of them cost.

`python -m benchmarks.harness.phases FILE` goes from the file to the ranked groups once.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from glymph.config import Settings
from glymph.moments import MICROS_PER_DAY
from glymph.prune import stale_groups, staleness
from glymph.store import columns, open_store
from glymph.store.backends import sqlite
from glymph.store.chunks import EVERY_KEY
from glymph.store.contract import Filter, Intent
from glymph.store.reader import Reader
from glymph.store.store import Store
from glymph.store.writer import Writer

SPACE = "default"
NOW = 1_785_000_000_000_000  # when the stores of `grown` end
CHANGED = 100  # one row in so many is changed for the last measurement
TABLES = ("memories", "edges")
ENGINE = sqlite.__name__.rpartition(".")[2]  # imported above, so that this is no part of opening


class Stopwatch:
    """CPU seconds of this process by step; the first begins now."""

    def __init__(self) -> None:
        self._last = time.process_time()
        self.costs: dict[str, float] = {}

    def step(self, name: str) -> None:
        now = time.process_time()
        self.costs[name] = now - self._last
        self._last = now


def main() -> None:
    watch = Stopwatch()
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--first", action="store_true", help="without chunks, then keep them")
    parser.add_argument(
        "--changed", action="store_true", help="after a change of one row in a hundred"
    )
    asked = parser.parse_args()
    store = open_store(f"{ENGINE}:///{asked.file.absolute()}", Settings(), create=False)
    if asked.first:
        found = first(store, watch)
    elif asked.changed:
        found = changed(store)
    else:
        found = once(store, watch) | _limit(store, asked.file)
    print(json.dumps(found))


def once(store: Store, watch: Stopwatch) -> dict[str, Any]:
    """From the file to the ranked groups with their members.

    This is what `rank_linked_groups` does, step by step.
    """
    with store.reading(SPACE) as reader:
        watch.step("open")
        space = columns.read(reader).columns
        watch.step("read")
        tissue = stale_groups.group_by_links(space)
        watch.step("graph")
        vitals = staleness.measure_vitals(
            space.memories, space.kinds, curves=reader.curves(), now=NOW
        )
        scores = stale_groups.score_groups(tissue, vitals)
        watch.step("score")
        ranking = stale_groups.list_stale(
            space, tissue, vitals, scores, min_staleness=0.3, max_groups=20, include_isolated=False
        )
        watch.step("rank")
        keys = np.concatenate(
            [group.keys for group in ranking.groups] or [np.zeros(0, dtype=np.int64)]
        )
        members = reader.by_key(keys.tolist(), Filter(include_superseded=True))
        watch.step("members")
    largest = int(tissue.sizes.max(initial=0))
    return {
        "costs": watch.costs,
        "groups": ranking.connected,
        "members": len(members),
        "largest": largest,
    }


def first(store: Store, watch: Stopwatch) -> dict[str, Any]:
    """The cost of reading everything from rows and of keeping it.

    With the longest write lock, in wall seconds.
    """
    with store.writing(SPACE, None) as writer:
        writer.forget_chunks()
    watch.step("open")
    with store.reading(SPACE) as reader:
        reading = columns.read(reader)
    watch.step("read")
    locks: list[float] = []
    writing = store.writing

    @contextmanager
    def timed(*arguments: Any) -> Iterator[Writer]:
        with writing(*arguments) as writer:
            begun = time.monotonic()
            yield writer
        locks.append(time.monotonic() - begun)

    store.writing = timed  # type: ignore[assignment,method-assign]
    written = columns.keep(store, reading)
    watch.step("keep")
    return {"costs": watch.costs, "chunks": written, "lock_s": max(locks)}


class _TakenBack(Exception):
    """Rolls a transaction back."""


def changed(store: Store) -> dict[str, Any]:
    """The cost of reading when one row in a hundred was used since; the changes are taken back."""
    watch = Stopwatch()
    intent = Intent("00000000-0000-7000-8000-00000000beef", "benchmark", "report", NOW)
    used = {"last_used_at": NOW - MICROS_PER_DAY}
    found: dict[str, Any] = {}
    try:
        with store.writing(SPACE, intent) as writer:
            for table in TABLES:
                writer.change(table, dict.fromkeys(_some(writer, table), used))
            watch.step("change")
            reading = columns.read(writer)
            watch.step("read")
            found = {
                "costs": watch.costs,
                "changed": sum(part.fresh for part in reading.parts.values()),
            }
            raise _TakenBack
    except _TakenBack:
        return found


def _some(reader: Reader, table: str) -> list[int]:
    keys = [
        row[0] for rows in reader.figures_between(table, 0, EVERY_KEY) for row in rows if row[0] > 1
    ]
    return keys[::CHANGED]


def _limit(store: Store, file: Path) -> dict[str, float]:
    """The bytes of the chunks, and what reading as many from the page cache costs."""
    with store.reading(SPACE) as reader:
        bodies = [reader.chunk_body(head.key) for table in TABLES for head in reader.chunks(table)]
    size = sum(len(body or b"") for body in bodies)
    del bodies
    costs = []
    for _ in range(5):
        begun = time.process_time()
        np.fromfile(file, dtype=np.uint8, count=size)
        costs.append(time.process_time() - begun)
    return {"chunk_mb": size / 1e6, "reading": min(costs)}


if __name__ == "__main__":
    main()
