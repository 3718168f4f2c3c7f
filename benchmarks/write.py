"""What writing costs: in bulk, one by one, archiving everything and taking that back.

One by one also with everything on: vectors, and what reconciling costs in the background.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.config import Settings
from glymph.embed.contract import Embedder
from glymph.testing.embedders import WordEmbedder

QUESTION = "What do bulk and single writes, archiving and undo cost at 10,000 memories?"

LARGE = 100_000  # memories at which single writes are measured, too
RECONCILED = 20  # memories
SLOW = 1000.0  # milliseconds that an embedder says a text takes

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
MEMORIES = 10_000
ROUNDS = 3
BLOCKS = 5
ADDS_PER_BLOCK = 60
COMMITS_PER_BLOCK = 100

TEXT_INDEX = """
CREATE TABLE memories(key INTEGER PRIMARY KEY, title TEXT, text TEXT, tags TEXT, entities TEXT);
CREATE VIRTUAL TABLE memory_text USING fts5(
  title, text, tags, entities,
  content = 'memories', content_rowid = 'key', tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO memory_text(memory_text, rank) VALUES ('secure-delete', 1);
"""


@dataclass(frozen=True, slots=True)
class Round:
    """CPU seconds of one run on a fresh store; `adds` are of one add each."""

    bulk: float
    archive: float
    undo: float
    adds: Sequence[float]


@dataclass(frozen=True, slots=True)
class Whole:
    """CPU seconds with everything on: of one add, by block, and of reconciling one memory."""

    adds: Sequence[float]
    reconciled: float
    singles: Mapping[str, float]  # milliseconds of changing one memory, by what is done to it


def run(options: Options) -> Figures:
    """Rates and costs in CPU time.

    The costs of the bare text index and of a bare commit are the limits.
    """
    count = options.count(MEMORIES, least=20)
    per_block = options.count(ADDS_PER_BLOCK, least=2)
    corpus = Corpus(options.seed)
    texts = corpus.texts(count + BLOCKS * per_block)
    rounds = [_round(texts[:count], texts[count:], per_block) for _ in range(ROUNDS)]
    index_rate = count / statistics.median(_index_only(texts[:count]) for _ in range(ROUNDS))
    commit_ms = 1000 * statistics.median(_commits(options.count(COMMITS_PER_BLOCK, least=2)))
    bulk_rate = count / statistics.median(one.bulk for one in rounds)
    add_ms = 1000 * statistics.median(cost for one in rounds for cost in one.adds)
    several = options.count(RECONCILED, least=2)
    whole = _measure_whole(corpus, count, per_block, several)
    large_count = options.count(LARGE, least=20)
    large = _measure_whole(
        corpus, large_count, per_block, several, WordEmbedder(), WordEmbedder(ms=SLOW)
    )
    archive = statistics.median(one.archive for one in rounds)
    undo = statistics.median(one.undo for one in rounds)
    return {
        "memories": Figure(count, "memories in the store; the targets hold at 10,000"),
        "bulk_per_cpu_s": Figure(
            bulk_rate, "memories stored by add_many per CPU-second", at_least=8000, limit=index_rate
        ),
        "add_cpu_ms": Figure(
            add_ms, "one durable add, compare = off", at_most=1.0, limit=commit_ms
        ),
        "add_whole_cpu_ms": Figure(
            1000 * statistics.median(whole.adds),
            "one durable add with its vector, to be reconciled: the default",
            at_most=0.9,
            limit=commit_ms,
        ),
        "add_whole_large_cpu_ms": Figure(
            1000 * statistics.median(large.adds), "the same at 100,000 memories", at_most=0.9
        ),
        "reconcile_cpu_ms": Figure(
            1000 * whole.reconciled, "adding one and reconciling it, in the background or not"
        ),
        "reconcile_large_cpu_ms": Figure(
            1000 * large.reconciled, "the same at 100,000 memories, the embedding left out"
        ),
        **{
            f"{name}_one{suffix}_cpu_ms": Figure(
                cost, f"to {name} one memory at {size:,}", at_most=1.0
            )
            for suffix, size, of in (("", count, whole), ("_large", large_count, large))
            for name, cost in of.singles.items()
        },
        "archive_10k_cpu_s": Figure(archive, "archiving all of them in one operation", at_most=0.4),
        "undo_10k_cpu_s": Figure(undo, "undoing that", at_most=0.8),
        "fts5_only_per_cpu_s": Figure(
            index_rate, "the same rows into a bare FTS5 index: the limit of bulk"
        ),
        "commit_cpu_ms": Figure(
            commit_ms, "a durable commit that changes one number: the limit of add"
        ),
    }


def _round(texts: Sequence[str], more: Sequence[str], per_block: int) -> Round:
    day = [BEGAN]
    with (
        _folder() as folder,
        Glymph.open(
            f"sqlite:///{folder / 'memory.db'}", embedder="none", clock=lambda: day[0],
            settings=Settings(compare="off"),
        ) as glymph,
    ):  # fmt: skip
        bulk, added = timed(lambda: glymph.add_many(texts))
        day[0] += timedelta(days=30)  # what is very young is not archived in bulk
        archive, receipt = timed(
            lambda: glymph.archive([one.id for one in added if one.id is not None])
        )
        undo, undone = timed(lambda: glymph.undo(receipt.operation_id))
        if not len(receipt.succeeded) == len(undone.succeeded) == len(texts):
            raise RuntimeError(
                "what was measured did not do its work: the figures would mean nothing"
            )
        adds = _adds(glymph, more, per_block)
    return Round(bulk, archive, undo, adds)


def _measure_whole(
    corpus: Corpus, count: int, per_block: int, several: int,
    loaded_by: Embedder | str = "auto", embedder: Embedder | str = "auto",
) -> Whole:  # fmt: skip
    """Measures a store with everything on. What embeds and reconciles is another thread.

    The large store has vectors that cost nothing: to embed it takes half an hour, which is no part
    of what is measured. The single adds are told that embedding is slow, as it is by default, so
    that it follows in the other thread.
    """
    texts = corpus.texts(count + BLOCKS * per_block + several + 1)
    stored, more = texts[:count], texts[count : count + BLOCKS * per_block]
    with _folder() as folder:
        url = f"sqlite:///{folder / 'memory.db'}"
        with Glymph.open(url, embedder=loaded_by, settings=Settings(compare="off")) as loading:
            loading.add_many(stored)
        with Glymph.open(url, embedder=embedder) as glymph:
            glymph.add(texts[-1], wait=True)  # loads the models
            adds = _adds(glymph, more, per_block)
            glymph.settle()
            last = texts[-1 - several : -1]
            spent, _ = timed(lambda: glymph.add_many(last, wait=True))
        with Glymph.open(url, embedder="none", reader="none") as glymph:
            singles = _time_singles(glymph, per_block)
    return Whole(adds, spent / several, singles)


def _time_singles(glymph: Glymph, count: int) -> dict[str, float]:
    """Median CPU milliseconds of deleting, archiving, pinning and rewording one memory."""
    ids = [memory.id for memory in glymph.list(limit=4 * count)]
    done: dict[str, Callable[[str], object]] = {
        "delete": glymph.delete,
        "archive": glymph.archive,
        "pin": glymph.pin,
        "update": lambda one: glymph.update(one, text=f"something else, known as {one}"),
    }
    found = {}
    for number, (name, do) in enumerate(done.items()):
        spent = []
        for one in ids[number * count : (number + 1) * count]:
            began = time.thread_time()
            do(one)
            spent.append(1000 * (time.thread_time() - began))
        found[name] = statistics.median(spent)
    return found


def _adds(glymph: Glymph, texts: Sequence[str], per_block: int) -> list[float]:
    """CPU seconds that one add takes the thread that asks for it, by block."""
    spent = []
    for start in range(0, len(texts), per_block):
        began = time.thread_time()
        for text in texts[start : start + per_block]:
            glymph.add(text)
        spent.append((time.thread_time() - began) / per_block)
    return spent


def _index_only(texts: Sequence[str]) -> float:
    """CPU seconds to index the texts in transactions of the same size, with nothing else to do."""
    chunk = Settings().bulk_chunk
    with _folder() as folder:
        connection = _bare(folder / "index.db")
        connection.execute(TEXT_INDEX)
        rows = [(key, "", text, "[]", "[]") for key, text in enumerate(texts, 1)]
        connection.executemany("INSERT INTO memories VALUES (?, ?, ?, ?, ?)", rows)

        def index() -> None:
            for start in range(0, len(rows), chunk):
                with connection:
                    connection.executemany(
                        "INSERT INTO memory_text(rowid, title, text, tags, entities) VALUES (?, ?, ?, ?, ?)",
                        rows[start : start + chunk],
                    )

        spent, _ = timed(index)
        connection.close()
    return spent


def _commits(per_block: int) -> list[float]:
    """CPU seconds of one commit, by block.

    A commit is a transaction that writes one page and waits for the disk.
    """
    with _folder() as folder:
        connection = _bare(folder / "commit.db")
        connection.execute("CREATE TABLE number(value INTEGER); INSERT INTO number VALUES (0)")

        def commit() -> None:
            for _ in range(per_block):
                connection.execute("BEGIN IMMEDIATE; UPDATE number SET value = value + 1; COMMIT")

        spent = [timed(commit)[0] / per_block for _ in range(BLOCKS)]
        connection.close()
    return spent


def _bare(path: Path) -> apsw.Connection:
    """A connection as durable as a store's."""
    connection = apsw.Connection(str(path))
    connection.execute(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536"
    )
    return connection


@contextmanager
def _folder() -> Iterator[Path]:
    """A temporary folder. What earlier work left for the collector is not billed to the next."""
    gc.collect()
    with tempfile.TemporaryDirectory(prefix="glymph-write-") as folder:
        yield Path(folder)
