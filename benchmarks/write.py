"""What writing costs, without vectors.

In bulk, one by one, archiving everything and taking that back.
"""

from __future__ import annotations

import gc
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import apsw

from benchmarks.harness.clocks import timed
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.config import Settings

QUESTION = "What do bulk and single writes, archiving and undo cost at 10,000 memories?"

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
    """CPU seconds of one run on a fresh store; `adds` and `compared` are of one add each."""

    bulk: float
    archive: float
    undo: float
    adds: Sequence[float]
    compared: Sequence[float]


def run(options: Options) -> Figures:
    """Rates and costs in CPU time.

    The costs of the bare text index and of a bare commit are the limits.
    """
    count = options.count(MEMORIES, least=20)
    per_block = options.count(ADDS_PER_BLOCK, least=2)
    corpus = Corpus(options.seed)
    texts = corpus.texts(count + 2 * BLOCKS * per_block)
    rounds = [_round(texts[:count], texts[count:], per_block) for _ in range(ROUNDS)]
    index_rate = count / statistics.median(_index_only(texts[:count]) for _ in range(ROUNDS))
    commit_ms = 1000 * statistics.median(_commits(options.count(COMMITS_PER_BLOCK, least=2)))
    bulk_rate = count / statistics.median(one.bulk for one in rounds)
    add_ms = 1000 * statistics.median(cost for one in rounds for cost in one.adds)
    compared_ms = 1000 * statistics.median(cost for one in rounds for cost in one.compared)
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
        "add_compared_cpu_ms": Figure(
            compared_ms, "one durable add, compared with what is there: the default"
        ),
        "archive_10k_cpu_s": Figure(archive, "archiving all of them in one operation", at_most=0.5),
        "undo_10k_cpu_s": Figure(undo, "undoing that", at_most=1.0),
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
            f"sqlite:///{folder / 'memory.db'}", embedder="none", clock=lambda: day[0]
        ) as glymph,
        Glymph.open(
            glymph.url, embedder="none", clock=lambda: day[0], settings=Settings(compare="off")
        ) as storing,
    ):
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
        half = len(more) // 2
        adds = _adds(storing, more[:half], per_block)
        compared = _adds(glymph, more[half:], per_block)
    return Round(bulk, archive, undo, adds, compared)


def _adds(glymph: Glymph, texts: Sequence[str], per_block: int) -> list[float]:
    """CPU seconds of one add, by block."""
    return [
        timed(partial(_add_each, glymph, texts[start : start + per_block]))[0] / per_block
        for start in range(0, len(texts), per_block)
    ]


def _add_each(glymph: Glymph, texts: Sequence[str]) -> None:
    for text in texts:
        glymph.add(text)


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
