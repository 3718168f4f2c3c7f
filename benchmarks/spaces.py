"""Ten thousand spaces in one SQLite file, and what one of them costs beside a file of its own.

Every measurement is made by a child of its own, once on the file with all spaces and once on a file
with a single one, which is the floor. How a single space grows is measured at three sizes; ten
million memories are on paper. What spaces cost on PostgreSQL is the benchmark `capacity`.
"""

from __future__ import annotations

import os
import shutil
import statistics
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from benchmarks.harness import grown, keeping, processes, shelf
from benchmarks.harness.clocks import resident_mb
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.write.spaces import create_space

QUESTION = "What does one space of ten thousand in a file cost, and one of ten million memories?"

SPACES, MEMORIES = 10_000, 4  # memories of each space
VISITED = 300  # spaces that one process goes through
REPEATS = 5
SIZES = (20_000, 40_000, 80_000)  # memories of one space
PAPER = 10_000_000
BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
DAY = timedelta(days=1)
VERSION = 1  # of what is made here
QUERY = "which harbour takes lemons"

Probe = Callable[[str, list[str]], dict[str, float]]


def run(options: Options) -> Figures:
    """CPU milliseconds and resident memory, with those of a file of one space beside."""
    count = options.count(SPACES, least=20)
    many, one = (_filled(size, options.seed) for size in (count, 1))
    _use_one(
        f"sqlite:///{one}", [name_of(0)]
    )  # what is imported late is imported before it is timed
    figures: dict[str, Figure] = {
        "spaces": Figure(count, f"in one file, with {MEMORIES} memories each"),
        "bytes_per_space": Figure(
            (many.stat().st_size - one.stat().st_size) / max(count - 1, 1), "of the file"
        ),
    }
    for probe, told in PROBES:
        costs = _repeated(probe, many, count)
        floors = _repeated(probe, one, 1)
        for name, meaning in told.items():
            figures[name] = Figure(costs[name], meaning, limit=floors[name])
            figures[f"floor_{name}"] = Figure(floors[name], "the same where it is the only space")
    return figures | _figures_of_all(many, count) | _grown_and_on_paper(options)


# the files


def name_of(number: int) -> str:
    return f"space-{number:05}"


def _filled(count: int, seed: int) -> Path:
    """A file with so many spaces, made once and kept."""
    folder = keeping.folder() / f"spaces-{count}-{seed}-{VERSION}-{shelf._schema()}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir()
        _fill(f"sqlite:///{unfinished / 'memory.db'}", count, Corpus(seed))
        unfinished.rename(folder)
    return folder / "memory.db"


def _fill(url: str, count: int, corpus: Corpus) -> None:
    with Glymph.open(
        url, space=name_of(0), embedder="none", reader="none", clock=lambda: BEGAN,
        settings={"durability": "normal"},
    ) as glymph:  # fmt: skip
        for number in range(count):
            inside = Glymph(replace(glymph.context, space=name_of(number)))
            create_space(inside.context)
            inside.add_many([f"{corpus.text(12)} {number}" for _ in range(MEMORIES)])
        for _ in StoreJobs(glymph).find_due():  # schedules are written down
            pass


# a child measures


def _repeated(probe: Probe, path: Path, count: int) -> dict[str, float]:
    """The median of several children, after one that warms the file cache."""
    names = [name_of(number) for number in range(count)]
    found = [_in_child(probe, path, names) for _ in range(REPEATS + 1)][1:]
    return {name: statistics.median(one[name] for one in found) for name in found[0]}


def _in_child(probe: Probe, path: Path, names: Sequence[str]) -> dict[str, float]:
    child, receiver = processes.start(_tell, probe, f"sqlite:///{path}", names)
    try:
        told: dict[str, float] = receiver.recv()
    finally:
        child.join()
        receiver.close()
    return told


def _tell(sender: Connection, probe: Probe, url: str, names: list[str]) -> None:
    sender.send(probe(url, names))


def _open(url: str, space: str, *, at: datetime = BEGAN) -> Glymph:
    return Glymph.open(url, space=space, embedder="none", reader="none", clock=lambda: at)


def _ms(call: Callable[[], object]) -> float:
    before = time.process_time()
    call()
    return 1000 * (time.process_time() - before)


def _use_one(url: str, names: list[str]) -> dict[str, float]:
    before, space, handles = resident_mb(), names[len(names) // 2], []
    opened = _ms(lambda: handles.append(_open(url, space)))
    glymph: Glymph = handles[0]
    told = {
        "open_cpu_ms": opened,
        "search_cpu_ms": _ms(lambda: glymph.search(QUERY)),
        "search_again_cpu_ms": _ms(lambda: [glymph.search(QUERY) for _ in range(10)]) / 10,
        "list_cpu_ms": _ms(glymph.list),
        "health_cpu_ms": _ms(glymph.health),
        "analyze_cpu_ms": _ms(glymph.analyze),
        "one_mb": resident_mb() - before,
    }
    glymph.close()
    return told


def _add_to_one(url: str, names: list[str]) -> dict[str, float]:
    with _open(url, names[len(names) // 2]) as glymph:
        glymph.add(f"The first crate of {os.getpid()}-{time.time_ns()} is heavier than the others.")
        told = [
            _ms(lambda: glymph.add(f"Crate {os.getpid()}-{time.time_ns()} came by boat."))
            for _ in range(5)
        ]
        glymph.undo()
    return {"add_cpu_ms": statistics.median(told)}


PROBES: Sequence[tuple[Probe, dict[str, str]]] = (
    (_use_one, {
        "open_cpu_ms": "the store with one space opened; limit: a file with that space alone",
        "search_cpu_ms": "first search in it",
        "search_again_cpu_ms": "later searches",
        "list_cpu_ms": "a page of its memories",
        "health_cpu_ms": "counts of its memories",
        "analyze_cpu_ms": "a plan of what went stale",
        "one_mb": "resident memory that all of this added",
    }),
    (_add_to_one, {"add_cpu_ms": "a memory added to it"}),
)  # fmt: skip


# all spaces


def _figures_of_all(path: Path, count: int) -> dict[str, Figure]:
    listed = _repeated(_list_all, path, count)
    looked = _repeated(_look_at_all, path, count)
    visited = _in_child(_visit, path, [name_of(number) for number in range(count)])
    floor = listed["floor"]
    return {
        "floor_read_spaces_cpu_ms": Figure(floor, "reading the names of all spaces by hand"),
        "list_spaces_cpu_ms": Figure(listed["all"], "every space with its identity", limit=floor),
        "look_nothing_cpu_ms": Figure(
            looked["nothing"], "a look at all of them when nothing is due", limit=floor
        ),
        "next_due_cpu_ms": Figure(looked["next"], "when the next one is due", limit=floor),
        "look_all_cpu_ms_per_space": Figure(
            visited["due"], "finding out what is due, where something is due in all"
        ),
        "visit_kb_per_space": Figure(
            visited["kb"], f"resident memory that a search in each of {VISITED} spaces left behind"
        ),
    }


def _list_all(url: str, names: list[str]) -> dict[str, float]:
    with _open(url, names[0]) as glymph:
        sql = "SELECT s.key, s.name, s.created_at FROM spaces s ORDER BY s.name"

        def read() -> None:
            with glymph.context.store.database.reading() as session:
                session.tuples(sql, {})

        return {"all": _ms(glymph.spaces), "floor": _ms(read)}


def _look_at_all(url: str, names: list[str]) -> dict[str, float]:
    with _open(url, names[0]) as glymph:
        jobs = StoreJobs(glymph)
        found: list[object] = []
        told = {
            "nothing": _ms(lambda: found.extend(jobs.find_due())),
            "next": _ms(jobs.next_due),
        }
    if found:
        raise RuntimeError(f"{len(found)} jobs are due: the figures would mean nothing")
    return told


def _visit(url: str, names: list[str]) -> dict[str, float]:
    some = names[:: max(1, len(names) // VISITED)][:VISITED]
    with _open(url, names[0], at=BEGAN + 2 * DAY) as glymph:
        Glymph(replace(glymph.context, space=some[0])).search(QUERY)
        before = resident_mb()
        for name in some:
            Glymph(replace(glymph.context, space=name)).search(QUERY)
        grew = 1000 * (resident_mb() - before) / len(some)
        jobs, stop = StoreJobs(glymph), threading.Event()
        due = _ms(lambda: [jobs.find_due_in(name, stop) for name in some]) / len(some)
    return {"kb": grew, "due": due}


# one large space


def _grown_and_on_paper(options: Options) -> dict[str, Figure]:
    """What a space costs at three sizes, and at ten million by the line through them."""
    sizes = [options.count(size, least=1_000 * (at + 1)) for at, size in enumerate(SIZES)]
    paths = [grown.planted(size, options.seed) for size in sizes]
    costs = [_in_child(_use_large, path, ["default"]) for path in paths]
    costs = [
        cost | {"file_mb": path.stat().st_size / 1e6}
        for cost, path in zip(costs, paths, strict=True)
    ]
    figures = {
        f"{name}_at_{size // 1000}k": Figure(cost[name], f"with {size:,} memories in one space")
        for size, cost in zip(sizes, costs, strict=True)
        for name in cost
    }
    for name in costs[0]:
        slope, start = np.polyfit(sizes, [cost[name] for cost in costs], 1)
        figures[f"paper_10m_{name}"] = Figure(
            float(start + max(slope, 0.0) * PAPER),
            f"at {PAPER:,} by the line through them: paper, not a measurement",
        )
    return figures


def _use_large(url: str, names: list[str]) -> dict[str, float]:
    before, handles = resident_mb(), []
    at = datetime.fromtimestamp(grown.NOW / 1e6, UTC)
    opened = _ms(lambda: handles.append(_open(url, names[0], at=at)))
    glymph: Glymph = handles[0]
    told = {
        "open_cpu_ms": opened,
        "search_cpu_ms": _ms(lambda: glymph.search("4711")),
        "add_cpu_ms": _ms(lambda: glymph.add(f"A boat came at {time.time_ns()}.")),
        "analyze_cpu_ms": _ms(glymph.analyze),
        "resident_mb": resident_mb() - before,
    }
    glymph.undo()
    glymph.close()
    return told
