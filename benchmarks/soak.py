"""An hour of mixed load by two processes on one file: does anything creep up?

Both add, search, recall, update, delete, link, prune by plans, consolidate and undo, and end
sessions after which upkeep runs whatever is due. Their clock runs fast, so that memories fade, the
trash is emptied and the journal ends within the run. The number of memories is held, live, archived
and in the trash; what then still grows is a leak: resident memory, the file, or the time of a call.
"""

from __future__ import annotations

import ctypes.util
import gc
import random
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from pathlib import Path

import apsw
import numpy as np

from benchmarks.harness import processes
from benchmarks.harness.clocks import own_mb, resident_mb
from benchmarks.harness.contract import Fact, Figure, Figures, Options
from benchmarks.harness.corpus import Corpus
from glymph import Glymph
from glymph.embed.contract import Vectors
from glymph.errors import AlreadyUndone, GlymphError, NotFound, Refused
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.jobs.runner import run_due
from glymph.testing.embedders import WordEmbedder
from glymph.upkeep import leases

QUESTION = "Does anything creep up in an hour of mixed load: memory, file, waiting, errors?"

MINUTES = 60.0
PROCESSES = 2
LIVE = 1_500  # memories of each process that are live at most
BEFORE = 1_000  # of them there before the load begins
ARCHIVED = 500  # memories that stay in the archive
PAUSE_S = 0.01  # between two calls: an agent is not a loop
DAYS = 60.0  # that pass by the clock of both processes, however long the run
BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
WARM_UP = 0.25  # of the time, before growth is looked for
SAMPLE_S = 1.0
LEAST_SAMPLES = 3
QUARTERS = 4
MB_PER_HOUR = 20.0  # that the memory in use may grow after the warm-up
SLOWER = 1.5  # times the second quarter's median that the last one's may be
# How often each call is made, of a hundred or so.
OFTEN = {
    "search": 34, "add": 24, "recall": 12, "update": 8, "delete": 8, "link": 4, "undo": 3,
    "add_many": 2, "archive": 2, "restore": 1, "session_end": 1.5, "prune": 0.4, "consolidate": 0.3, "clear": 0.5,
}  # fmt: skip
# The days that trash, journal and learning last, so that all of them turn over within the run.
SETTINGS = {"trash_days": 5, "trash_daily": 20_000, "journal_days": 10, "compare": "on"}
HEAVY = (
    "session_end",
    "prune",
    "consolidate",
    "clear",
)  # timed apart: they work on the whole space


Sample = tuple[float, float, float]  # seconds, resident megabytes, those of them that are SQLite's


class PlainWords(WordEmbedder):
    """Remembers nothing of what it was asked: that would be a leak of its own."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        found = super().embed(texts)
        self.calls.clear()
        return found


@dataclass(slots=True)
class Heard:
    """What the processes told: milliseconds of calls, resident memory, and errors."""

    calls: list[tuple[float, str, float]] = field(default_factory=list)
    memory: dict[int, list[Sample]] = field(default_factory=lambda: defaultdict(list))
    trimmed: dict[int, list[tuple[float, float]]] = field(default_factory=lambda: defaultdict(list))
    errors: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    finished: int = 0


def run(options: Options) -> Figures:
    """Growth of memory, file and waiting over the run, and what failed."""
    minutes = options.minutes or max(0.2, MINUTES * options.scale)
    with tempfile.TemporaryDirectory(prefix="glymph-soak-") as folder:
        path = Path(folder) / "memory.db"
        url = f"sqlite:///{path}"
        Glymph.open(url, embedder="none", reader="none").close()
        clock = Clock(time.time(), minutes * 60)
        heard, sizes, rows = _load(url, path, clock, options.seed)
        with _open(url, clock, PROCESSES) as glymph:
            found, health = glymph.verify(), glymph.health()
            glymph.context.store.compact()
        compacted = path.stat().st_size / 1e6
    return _figures(minutes, heard, sizes, rows) | {
        "live_at_end": Figure(
            health.live + health.dormant, f"memories, held at {PROCESSES} x {LIVE} at most"
        ),
        "archived_at_end": Figure(health.archived, "memories"),
        "trashed_at_end": Figure(health.trashed, "memories"),
        "file_mb_compacted": Figure(compacted, "after the file was written anew"),
        "verify_failures": Figure(len(found.problems), "the store is sound at the end", exactly=0),
        "verify_says": Fact(
            "; ".join(f"{one.check}: {one.detail}" for one in found.problems) or "nothing",
            "found wrong",
        ),
    }


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of both processes, by which a run of any length lasts as many days."""

    started: float
    seconds: float  # of the run

    def __call__(self) -> datetime:
        return BEGAN + timedelta(days=DAYS * (time.time() - self.started) / self.seconds)

    @property
    def times_faster(self) -> float:
        return DAYS * 24 * 3600 / self.seconds


def _open(url: str, clock: Clock, number: int) -> Glymph:
    return Glymph.open(
        url, actor=f"soak-{number}", session=f"s{number}", settings=SETTINGS, reader="none",
        embedder=PlainWords(64), clock=clock,
    )  # fmt: skip


# the parent


def _load(
    url: str, path: Path, clock: Clock, seed: int
) -> tuple[Heard, list[tuple[float, float]], list[int]]:
    """Lets the processes work; gives back what they told and the size of the file over time."""
    heard, sizes = Heard(), []
    children = [
        processes.start(_work, url, number, clock, seed + number) for number in range(PROCESSES)
    ]
    alive = dict(enumerate(receiver for _, receiver in children))
    while alive:
        for number, receiver in list(alive.items()):
            with suppress(EOFError, OSError):
                while receiver.poll(SAMPLE_S / 10):
                    _hear(heard, number, receiver.recv())
                if children[number][0].is_alive():
                    continue
                while receiver.poll(0):
                    _hear(heard, number, receiver.recv())
            del alive[number]
        sizes.append(((time.time() - clock.started) / clock.seconds, _file_mb(path)))
    for child, receiver in children:
        child.join()
        receiver.close()
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        rows = [glymph.health().operations]
    return heard, sizes, rows


def _file_mb(path: Path) -> float:
    files = (path, path.with_name(f"{path.name}-wal"))
    return sum(one.stat().st_size for one in files if one.exists()) / 1e6


def _hear(heard: Heard, number: int, message: tuple[object, ...]) -> None:
    match message:
        case ("calls", list(calls)):
            heard.calls += calls
        case ("memory", float(at), float(resident), float(sqlite)):
            heard.memory[number].append((at, resident, sqlite))
        case ("trimmed", float(at), float(mb)):
            heard.trimmed[number].append((at, mb))
        case ("error", str(name)):
            heard.errors[name] += 1
        case ("refused", str(name)):
            heard.refused[name] += 1
        case ("finished",):
            heard.finished += 1


# a child


class Worker:
    """One process of the load: it changes only memories that it added itself."""

    def __init__(self, glymph: Glymph, seed: int) -> None:
        self.glymph, self.draw, self.corpus = glymph, random.Random(seed), Corpus(seed)
        self.jobs = StoreJobs(glymph)
        self.ids: list[str] = []
        self.away: list[str] = []
        self.last: str | None = None  # an operation that may be undone

    def text(self) -> str:
        return f"{self.corpus.text(12)} {self.draw.getrandbits(40):x}"

    def some(self, most: int, source: list[str] | None = None) -> list[str]:
        ids = self.ids if source is None else source
        return self.draw.sample(ids, min(len(ids), self.draw.randint(1, most)))

    def call(self, verb: str) -> None:
        getattr(self, f"_{verb}")()

    def _add(self) -> None:
        if len(self.ids) >= LIVE:
            return self._delete()
        added = self.glymph.add(self.text(), kind=self.draw.choice(("note", "event", "fact")))
        self.ids += [added.id] if added.created and added.id else []
        self.last = added.operation_id
        return None

    def _add_many(self) -> None:
        added = self.glymph.add_many([self.text() for _ in range(self.draw.randint(2, 20))])
        self.ids += [one.id for one in added if one.created and one.id]

    def _search(self) -> None:
        self.glymph.search(self.corpus.text(3), limit=10)

    def _recall(self) -> None:
        found = self.glymph.recall(self.corpus.text(3), limit=5)
        if found.id is not None and (used := [hit.memory.id for hit in found][:2]):
            self.glymph.report(found.id, used=used)

    def _update(self) -> None:
        for one in self.some(1):
            self.last = self.glymph.update(one, text=self.text()).operation_id

    def _delete(self) -> None:
        most = 5 if len(self.ids) < LIVE else 60
        self._put_away(self.some(most), self.glymph.delete)

    def _archive(self) -> None:
        self._put_away(self.some(3), self.glymph.archive)

    def _put_away(self, ids: list[str], call: Callable[[list[str]], object]) -> None:
        for start in range(0, len(ids), 5):  # of more at once, young ones would be skipped
            call(ids[start : start + 5])
        gone = set(ids)
        self.ids = [one for one in self.ids if one not in gone]
        self.away = [*self.away, *ids][-200:]

    def _restore(self) -> None:
        for one in self.some(1, self.away):
            self.away.remove(one)
            self.glymph.restore([one])
            self.ids.append(one)

    def _link(self) -> None:
        ends = self.some(2)
        if len(ends) == 2:
            self.glymph.link(ends[0], ends[1])

    def _undo(self) -> None:
        operation, self.last = self.last, None
        if operation is not None:
            self.glymph.undo(operation)

    def _prune(self) -> None:
        plan = self.glymph.analyze(min_staleness=0.2)
        if plan.groups:
            self.glymph.prune(plan, groups=[1])

    def _clear(self) -> None:
        """Deletes what has been archived for longest: nobody else ever would."""
        archived = [one.id for one in self.glymph.list(states=["ARCHIVED"], limit=1_000)]
        self._put_away(archived[ARCHIVED:], self.glymph.delete)

    def _consolidate(self) -> None:
        self.glymph.consolidate()

    def _session_end(self) -> None:
        run_due(self.jobs.context_in(self.glymph.space), self.jobs.jobs, threading.Event())


def _work(sender: Connection, url: str, number: int, clock: Clock, seed: int) -> None:
    leases.LASTS *= clock.times_faster  # as long as ever, by the clock of the load
    started, seconds = clock.started, clock.seconds
    with _open(url, clock, number) as glymph:
        worker = Worker(glymph, seed)
        while len(worker.ids) < BEFORE and time.time() - started < WARM_UP * seconds / 2:
            worker.call("add_many")
        verbs, weights = list(OFTEN), list(OFTEN.values())
        calls: list[tuple[float, str, float]] = []
        sampled, warm = 0.0, False
        while (elapsed := time.time() - started) < seconds:
            verb = worker.draw.choices(verbs, weights)[0]
            began = time.perf_counter()
            try:
                worker.call(verb)
            except (NotFound, AlreadyUndone, Refused) as error:
                # The other one, or upkeep, was first; a refusal is an answer.
                sender.send(("refused", f"{verb}: {type(error).__name__}"))
            except GlymphError as error:
                sender.send(("error", f"{verb}: {type(error).__name__}: {error}"))
            except Exception as error:  # noqa: BLE001 - what else may come is what is counted
                sender.send(("error", f"{verb}: untyped {type(error).__name__}: {error}"))
            calls.append((elapsed / seconds, verb, 1000 * (time.perf_counter() - began)))
            if elapsed - sampled >= SAMPLE_S:
                sampled = elapsed
                sender.send(("memory", elapsed, resident_mb(), _sqlite_mb()))
                sender.send(("calls", calls))
                calls = []
            if not warm and elapsed >= WARM_UP * seconds:
                warm = True
                sender.send(("trimmed", elapsed, _trimmed_mb()))
            time.sleep(PAUSE_S)
        sender.send(("calls", calls))
        sender.send(("trimmed", elapsed, _trimmed_mb()))
    sender.send(("finished",))


# the figures


def _figures(
    minutes: float, heard: Heard, sizes: Sequence[tuple[float, float]], rows: Sequence[int]
) -> dict[str, Figure | Fact]:
    usual = [call for call in heard.calls if call[1] not in HEAVY]
    medians = [_share(part, 0.5) for part in _quarters([(at, ms) for at, _, ms in usual])]
    figures: dict[str, Figure | Fact] = {
        "minutes": Figure(minutes, f"of {PROCESSES} processes on one file"),
        "operations": Figure(len(heard.calls), "calls made"),
        "journalled": Figure(rows[0], "operations in the journal at the end"),
        "died": Figure(PROCESSES - heard.finished, "processes that did not end well", exactly=0),
        "errors": Figure(heard.errors.total(), "calls that failed", exactly=0),
        "errors_by_type": Fact(_told(heard.errors), "those that failed"),
        "refused": Figure(
            heard.refused.total(), "calls refused because somebody else was first, by the rules"
        ),
        "refused_by_type": Fact(_told(heard.refused), "those that were refused"),
        "slower": Figure(
            medians[-1] / max(medians[1], 1e-9),
            "median of the last quarter by that of the second", at_most=SLOWER,
        ),
    }  # fmt: skip
    for number, part in enumerate(_quarters([(at, ms) for at, _, ms in usual]), start=1):
        figures[f"p50_ms_q{number}"] = Figure(_share(part, 0.5), f"of {len(part)} calls")
        figures[f"p99_ms_q{number}"] = Figure(_share(part, 0.99), f"of {len(part)} calls")
    for verb in OFTEN:
        told = _quarters([(at, ms) for at, name, ms in heard.calls if name == verb])
        for at in (1, QUARTERS - 1):
            figures[f"{verb}_p50_ms_q{at + 1}"] = Figure(
                _share(told[at], 0.5), f"of {len(told[at])} calls"
            )
    for number, part in enumerate(_quarters(sizes), start=1):
        figures[f"file_mb_q{number}"] = Figure(max(part, default=0.0), "the largest, with its log")
    for number, samples in sorted(heard.trimmed.items()):
        (began, before), (ended, after) = samples[0], samples[-1]
        figures[f"kept_mb_begin_{number}"] = Figure(before, "in use, no file's, after the warm-up")
        figures[f"kept_mb_end_{number}"] = Figure(after, "in use, no file's, at the end")
        figures[f"kept_mb_per_hour_{number}"] = Figure(
            3600 * (after - before) / max(ended - began, 1.0),
            "growth of what is in use; the store grows, too", at_most=MB_PER_HOUR,
        )  # fmt: skip
    return figures | _memory(heard.memory)


def _memory(memory: Mapping[int, Sequence[Sample]]) -> dict[str, Figure | Fact]:
    """Resident memory by process; SQLite's caches fill up to 64 MB a connection."""
    figures: dict[str, Figure | Fact] = {}
    for number, samples in sorted(memory.items()):
        warm = [one for one in samples if one[0] >= WARM_UP * samples[-1][0]]
        if len(warm) < LEAST_SAMPLES:
            continue  # a line through so few would tell nothing
        at, resident, sqlite = np.array(warm).T
        figures[f"resident_mb_begin_{number}"] = Figure(resident[0], "after the warm-up")
        figures[f"resident_mb_end_{number}"] = Figure(resident[-1], "at the end")
        figures[f"sqlite_mb_begin_{number}"] = Figure(sqlite[0], "of it, SQLite's: page caches")
        figures[f"sqlite_mb_end_{number}"] = Figure(sqlite[-1], "of it, SQLite's: page caches")
        figures[f"resident_mb_per_hour_{number}"] = Figure(
            3600 * float(np.polyfit(at, resident, 1)[0]),
            "growth after the warm-up, by a line through it, with what the allocator holds back",
        )
    return figures


def _trimmed_mb() -> float:
    """The memory of its own once the allocator has given back what nobody uses."""
    gc.collect()
    if libc := ctypes.util.find_library("c"):
        ctypes.CDLL(libc).malloc_trim(0)
    return own_mb()


def _sqlite_mb() -> float:
    """What SQLite has allocated in this process."""
    return apsw.status(apsw.SQLITE_STATUS_MEMORY_USED)[0] / 1e6


def _quarters(timed: Sequence[tuple[float, float]]) -> list[list[float]]:
    parts: list[list[float]] = [[] for _ in range(QUARTERS)]
    for at, value in timed:
        parts[min(QUARTERS - 1, int(at * QUARTERS))].append(value)
    return parts


def _share(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def _told(counted: Counter[str]) -> str:
    return "; ".join(f"{name[:120]} {count}" for name, count in counted.most_common(8)) or "none"
