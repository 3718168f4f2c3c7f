"""The same work on both engines in one run: how much dearer, or cheaper, a server is than a file."""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.harness.both_engines import Cost, Engine, engines, fill
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.store import columns
from glymph.store.contract import Filter
from glymph.testing.postgres import absence
from glymph.testing.round_trips import RoundTrips, round_trips

QUESTION = "What do adding, searching, analysing and pruning cost on PostgreSQL, beside SQLite?"

MEMORIES, PRUNED = 100_000, 10_000
ADDS, SEARCHES, REPEATS, FLOORS = 200, 40, 3, 50
AWAY_S = 0.005  # there and back, of a server in another place
MOST_DEAR = {"add": 2.0}  # times SQLite

Costs = Mapping[str, Cost]


def run(options: Options) -> Figures:
    """The ratio of wall times, PostgreSQL to SQLite, for each kind of work.

    With the figures behind it.
    """
    if reason := absence():
        raise Unavailable(reason)
    figures: dict[str, Figure] = {}
    with (
        tempfile.TemporaryDirectory(prefix="glymph-engines-") as folder,
        engines(Path(folder)) as both,
    ):
        for name, told, work in (
            ("add", "a single add, durable", _adds),
            ("bulk", "rows put in by the thousand, journalled, with links and vectors", _bulk),
            (
                "first_search_100k",
                "the first search of a handle, which loads the columns",
                _first_search,
            ),
            ("search_100k", "a hybrid search of a warm handle", _searches),
            ("rows_100k", "reading the figures of every memory and link from the tables", _rows),
            ("analysis_100k", "from an open handle to a stored plan", _analysis),
            ("prune_10k", "10,000 memories archived in one transaction", _prune),
            ("undo_10k", "and brought back", _undo),
        ):
            figures |= _compared(name, told, both, partial(work, options=options))
        figures |= _floors(both[1].url, Path(folder))
        figures |= _round_trips(both[1])
    return figures


def _floors(url: str, folder: Path) -> dict[str, Figure]:
    """What the disk and the line take of a durable write, whatever is written."""
    with psycopg.connect(url, autocommit=True) as line:
        line.execute("CREATE TABLE IF NOT EXISTS public.floor(at int)")
        query = _median_ms(lambda: line.execute("SELECT 1").fetchone())
        commit = _median_ms(lambda: line.execute("INSERT INTO public.floor VALUES (1)"))
        line.execute("SET synchronous_commit = off")
        insert = _median_ms(lambda: line.execute("INSERT INTO public.floor VALUES (1)"))
    with (folder / "probe").open("wb", buffering=0) as probe:

        def durable() -> None:
            probe.write(bytes(8192))
            os.fsync(probe.fileno())

        fsync = _median_ms(durable)
    return {
        "floor_query_ms": Figure(query, "SELECT 1 and back"),
        "floor_insert_ms": Figure(insert, "one row inserted in one round trip, not durable"),
        "floor_commit_ms": Figure(commit, "one row inserted and committed, synchronous_commit on"),
        "floor_fsync_ms": Figure(fsync, "8 KiB made durable on this disk"),
    }


def _median_ms(call: Callable[[], object]) -> float:
    took = []
    for _ in range(FLOORS):
        began = time.perf_counter()
        call()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


def _round_trips(engine: Engine) -> dict[str, Figure]:
    """How often a call waits for the server, counted on the line; and what that costs far away."""
    figures: dict[str, Figure] = {}
    for delay_s, measure in ((0.0, _counted), (AWAY_S, _far_away)):
        with (
            round_trips(engine.url, delay_s=delay_s) as line,
            engine.opened("trips", url=line.url) as glymph,
        ):
            for number in range(8):
                glymph.add(f"heron {number} of {delay_s}")
            glymph.search("heron")
            _await_background()
            figures |= measure(glymph, line)
    return figures


def _await_background() -> None:
    """Wait for what a handle does by itself, which would be counted along."""
    for thread in threading.enumerate():
        if thread.name == "glymph-embed":
            thread.join()


def _counted(glymph: Glymph, line: RoundTrips) -> dict[str, Figure]:
    one, two = (memory.id for memory in glymph.list(limit=2))
    many = [f"one of many, number {number}" for number in range(500)]
    calls: Mapping[str, tuple[int, Callable[[], object]]] = {
        "add": (2, partial(glymph.add, "a text that nobody has said")),
        "update": (2, partial(glymph.update, one, title="another title")),
        "delete": (2, partial(glymph.delete, one)),
        "undo": (3, glymph.undo),
        "archive": (2, partial(glymph.archive, one)),
        "link": (3, partial(glymph.link, one, two)),
        "add_many": (3, partial(glymph.add_many, many)),
        "get": (2, partial(glymph.get, two)),
        "search_after_writes": (9, partial(glymph.search, "heron")),
        "search": (5, partial(glymph.search, "heron")),
    }
    figures = {}
    for name, (most, call) in calls.items():
        figures[f"round_trips_{name}"] = Figure(
            line.of(call), "of one call, on the line to the server", at_most=most
        )
        _await_background()
    return figures


def _far_away(glymph: Glymph, line: RoundTrips) -> dict[str, Figure]:
    took = []
    for number in range(FLOORS):
        began = time.perf_counter()
        glymph.add(f"said from afar, number {number}")
        took.append(1000 * (time.perf_counter() - began))
        _await_background()
    told = f"a single add to a server {1000 * AWAY_S:g} ms away, there and back"
    return {"add_ms_away": Figure(statistics.median(took), told, limit=2000 * AWAY_S)}


def _compared(
    name: str, told: str, both: list[Engine], work: Callable[[Engine], Cost]
) -> dict[str, Figure]:
    costs = {engine.name: work(engine) for engine in both}
    here, there = costs["sqlite"], costs["postgresql"]
    return {
        name: Figure(
            there.wall_s / here.wall_s,
            f"times SQLite, on the wall: {told}",
            at_most=MOST_DEAR.get(name),
        ),
        f"{name}_cpu": Figure(
            there.cpu_s / here.cpu_s, "times SQLite, processors of client and server together"
        ),
        f"{name}_ms_sqlite": Figure(
            here.wall_s * 1000, f"wall; {here.cpu_s * 1000:.1f} of processors"
        ),
        f"{name}_ms_postgresql": Figure(
            there.wall_s * 1000, f"wall; {there.cpu_s * 1000:.1f} of processors"
        ),
    }


def _median(costs: list[Cost]) -> Cost:
    return Cost(
        statistics.median(c.wall_s for c in costs), statistics.median(c.cpu_s for c in costs)
    )


def _adds(engine: Engine, *, options: Options) -> Cost:
    texts = Corpus(options.seed + 1).texts(options.count(ADDS, least=5) + 5)
    with engine.opened("adds") as glymph:
        for text in texts[:5]:
            glymph.add(text)
        return _median([engine.costs(partial(glymph.add, text)) for text in texts[5:]])


def _bulk(engine: Engine, *, options: Options) -> Cost:
    count = options.count(MEMORIES, least=50)
    with engine.opened() as glymph:
        whole = engine.costs(partial(fill, glymph, count, options.seed))
        return Cost(whole.wall_s / count, whole.cpu_s / count)


def _first_search(engine: Engine, *, options: Options) -> Cost:
    def first() -> None:
        with engine.opened() as glymph:
            glymph.search("anything at all")

    return _median([engine.costs(first) for _ in range(REPEATS)])


def _searches(engine: Engine, *, options: Options) -> Cost:
    queries = Corpus(options.seed + 2).texts(options.count(SEARCHES, least=3) + 3)
    with engine.opened() as glymph:
        for query in queries[:3]:
            glymph.search(query)
        return _median([engine.costs(partial(glymph.search, query)) for query in queries[3:]])


def _rows(engine: Engine, *, options: Options) -> Cost:
    """Without chunks: what a space costs that nobody has analysed before."""

    def read(glymph: Glymph) -> None:
        with glymph.context.reading() as reader:
            columns.read(reader)

    with engine.opened() as glymph:
        return _median([engine.costs(partial(read, glymph)) for _ in range(REPEATS)])


def _analysis(engine: Engine, *, options: Options) -> Cost:
    with engine.opened() as glymph:
        glymph.analyze()
        return _median([engine.costs(glymph.analyze) for _ in range(REPEATS)])


def _some(glymph: Glymph, count: int) -> list[str]:
    with glymph.context.reading() as reader:
        return [row["id"] for row in reader.page(Filter(), before=None, limit=count)]


def _prune(engine: Engine, *, options: Options) -> Cost:
    with engine.opened() as glymph:
        ids = _some(glymph, options.count(PRUNED, least=10))
        return engine.costs(partial(glymph.batch_prune, ids, "archive", confirm_large=True))


def _undo(engine: Engine, *, options: Options) -> Cost:
    with engine.opened() as glymph:
        return engine.costs(glymph.undo)
