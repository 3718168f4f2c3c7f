"""Eight processes write to one file at once while a ninth reads all the time."""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path

from benchmarks.harness import image, processes
from benchmarks.harness.contract import Figure, Figures, Options
from benchmarks.harness.corpus import Corpus
from benchmarks.harness.image import Image, Key, Value, changed
from benchmarks.harness.scribe import Scribe, Surprise
from glymph import Glymph
from glymph.errors import GlymphError

QUESTION = "Do eight writers and a reader on one file get in each other's way?"

PROCESSES = 8
WRITES = 400  # by each process
PATIENCE_S = 200.0
VERBS = ("add", "add", "add", "add", "update", "update", "link", "archive")


@dataclass(slots=True)
class Wrote:
    """What one writer had acknowledged, by what is there afterwards."""

    values: dict[Key, Value] = field(default_factory=dict)
    operations: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)
    cpu_s: float = 0.0


@dataclass(slots=True)
class Read:
    reads: int = 0
    errors: list[str] = field(default_factory=list)


def run(options: Options) -> Figures:
    """Errors and losses, which must be 0, and the rate of commits: wall time, so without a target."""
    writes = options.count(WRITES, least=4)
    with tempfile.TemporaryDirectory(prefix="glymph-concurrency-") as folder:
        url = f"sqlite:///{Path(folder) / 'memory.db'}"
        Glymph.open(url, embedder="none", reader="none").close()
        wrote, read, wall = _at_once(url, writes, options.seed)
        found = image.read(url)
        with Glymph.open(url, embedder="none", reader="none") as glymph:
            sound = glymph.verify().ok
    acknowledged = sum(len(one.operations) for one in wrote)
    errors = sum(len(one.errors) for one in wrote) + PROCESSES - len(wrote)
    # One that never answered is an error of its own.
    reader_errors = len(read.errors) if read is not None else 1
    cpu_ms = [1000 * one.cpu_s / len(one.operations) for one in wrote if one.operations]
    return {
        "processes": Figure(PROCESSES, "processes that write at once"),
        "writes": Figure(acknowledged, "writes acknowledged in all", exactly=PROCESSES * writes),
        "errors": Figure(errors, "writes that failed, and writers that died", exactly=0),
        "lost": Figure(
            lost(wrote, found), "acknowledged writes that were gone or different", exactly=0
        ),
        "reads": Figure(read.reads if read else 0, "searches, listings and gets meanwhile"),
        "reader_errors": Figure(reader_errors, "reads that failed", exactly=0),
        "verify_ok": Figure(int(sound), "1 if verify() finds nothing wrong afterwards", exactly=1),
        "commits_per_s": Figure(
            acknowledged / wall, "durable commits per second of wall time, all together"
        ),
        "write_cpu_ms": Figure(
            statistics.median(cpu_ms or [0.0]), "CPU of one write, its waiting included"
        ),
    }


def lost(wrote: Sequence[Wrote], found: Image) -> int:
    """How many memories, links and operations that were acknowledged are not there as they were."""
    return sum(
        sum(found.values.get(key) != value for key, value in one.values.items())
        + len(one.operations - found.operations)
        for one in wrote
    )


def _at_once(url: str, writes: int, seed: int) -> tuple[list[Wrote], Read | None, float]:
    """Starts everybody together.

    Gives back what the writers wrote, what was read, and the seconds it took.
    """
    start, stop = processes.CONTEXT.Barrier(PROCESSES + 2), processes.CONTEXT.Event()
    writers = [
        processes.start(_write, url, number, writes, seed, start) for number in range(PROCESSES)
    ]
    reader = processes.start(_read, url, seed, start, stop)
    start.wait(PATIENCE_S)
    began = time.monotonic()
    wrote = [said for _, pipe in writers if isinstance(said := _answer(pipe), Wrote)]
    wall = time.monotonic() - began
    stop.set()
    read = _answer(reader[1])
    for child, _ in [*writers, reader]:
        child.join(PATIENCE_S)
    return wrote, read if isinstance(read, Read) else None, wall


def _answer(pipe: Connection) -> object:
    """What a child says at its end; None if it died or stayed silent."""
    try:
        return pipe.recv() if pipe.poll(PATIENCE_S) else None
    except EOFError:
        return None


def _write(
    sender: Connection, url: str, number: int, writes: int, seed: int, start: Barrier
) -> None:
    done = Wrote()
    with Glymph.open(url, actor=f"writer {number}", embedder="none", reader="none") as glymph:
        # Each writer works on its own memories, so that what must be there at the end is known.
        scribe = Scribe(glymph, label=f"p{number}", seed=seed + number, verbs=VERBS, known=Image())
        start.wait(PATIENCE_S)
        before = time.process_time()
        for _ in range(writes):
            step = scribe.next()
            try:
                operation = scribe.carry_out(step)
            except (GlymphError, Surprise) as error:
                done.errors.append(f"{step.verb}: {error!r}")
                continue
            done.values = changed(done.values, step.changes)
            done.operations.add(operation or "")
        done.cpu_s = time.process_time() - before
    sender.send(done)


def _read(sender: Connection, url: str, seed: int, start: Barrier, stop: Event) -> None:
    done = Read()
    corpus, draw = Corpus(seed), random.Random(seed)
    with Glymph.open(url, actor="reader", embedder="none", reader="none") as glymph:
        start.wait(PATIENCE_S)
        while not stop.is_set():
            try:
                page = glymph.list(limit=20)
                glymph.search(corpus.text(4))
                if page.items:
                    glymph.get(draw.choice(page.items).id)
            except GlymphError as error:
                done.errors.append(repr(error))
            done.reads += 3
    sender.send(done)
