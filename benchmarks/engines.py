"""The same work on both engines in one run: how much dearer, or cheaper, a server is than a file."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from benchmarks.harness.both_engines import Cost, Engine, engines, fill
from benchmarks.harness.contract import Figure, Figures, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.store import columns
from glymph.store.contract import Filter
from glymph.testing.postgres import absence

QUESTION = "What do adding, searching, analysing and pruning cost on PostgreSQL, beside SQLite?"

MEMORIES, PRUNED = 100_000, 10_000
ADDS, SEARCHES, REPEATS = 200, 40, 3

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
    return figures


def _compared(
    name: str, told: str, both: list[Engine], work: Callable[[Engine], Cost]
) -> dict[str, Figure]:
    costs = {engine.name: work(engine) for engine in both}
    here, there = costs["sqlite"], costs["postgresql"]
    return {
        name: Figure(there.wall_s / here.wall_s, f"times SQLite, on the wall: {told}"),
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
