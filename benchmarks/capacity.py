"""What a space costs on PostgreSQL: bytes, CPU of its upkeep, connections.

And what a million spaces would cost, on paper.
"""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psycopg

from benchmarks.harness.clocks import running_cpu
from benchmarks.harness.contract import Fact, Figure, Figures, Options, Unavailable
from benchmarks.harness.corpus import Corpus
from glymph import Glymph, Settings, embed
from glymph.jobs.contexts import context_in
from glymph.jobs.job import Trigger
from glymph.jobs.queues import open_queue
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.testing import postgres
from glymph.upkeep.leases import hold_lease

QUESTION = "What does a space cost on PostgreSQL, and what would a million of them?"

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
EMPTY_SPACES = 300  # only to see how large they are
IDLE_SPACES, ACTIVE_SPACES = 40, 6
MEMORIES, OF_TODAY = 200, 20  # of an active space: all, and those of the last day
CALLERS = 8  # calls at once, the most that a server lets run
WORKERS_JOBS = 4  # jobs at once, a worker's default
# What the plan assumes. Change them to yours: the measured figures stay.
SPACES, ACTIVE_SHARE, MEMORIES_EACH, BUSY = 1_000_000, 0.1, 500, 0.5
BYTES_PER_DATABASE = 1e12
LOOK_S = 60.0  # between two looks at what is due, which visit the spaces that have something to do
DAY = timedelta(days=1)
ONCE = ("embed",)  # jobs that do a day's new memories once, however often they run

Cpu = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of everything in Glymph's schema."""

    tables: float
    indexes: float

    def since(self, before: Size, count: int) -> Size:
        """What each of so many things added."""
        return Size((self.tables - before.tables) / count, (self.indexes - before.indexes) / count)


class Watch:
    """What a database does: its size, its connections, and the CPU time spent.

    The CPU time is that of its backends and of this process.
    """

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._seen: dict[int, float] = {}

    def close(self) -> None:
        self._connection.close()

    def backends(self) -> list[int]:
        rows = self._connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() "
            "AND backend_type = 'client backend'"
        )
        return [pid for (pid,) in rows]

    def cpu(self) -> float:
        """CPU seconds so far.

        Those of a backend that ended are as they were when it was last looked at.
        """
        for pid in self.backends():
            try:
                self._seen[pid] = running_cpu(pid)
            except OSError:  # it has just ended
                continue
        return time.process_time() + sum(self._seen.values())

    def size(self) -> Size:
        self._connection.execute("VACUUM")
        found = self._connection.execute(
            "SELECT sum(pg_table_size(oid)), sum(pg_indexes_size(oid)) FROM pg_class "
            "WHERE relnamespace = 'glymph'::regnamespace AND relkind = 'r'"
        ).fetchone()
        assert found is not None
        return Size(float(found[0]), float(found[1]))

    @contextmanager
    def most_connections(self) -> Iterator[list[int]]:
        """The largest number of connections at once during the context.

        It is the one item of the list.
        """
        most, over = [0], threading.Event()

        def look() -> None:
            while not over.wait(0.02):
                most[0] = max(most[0], len(self.backends()))

        looking = threading.Thread(target=look)
        looking.start()
        try:
            yield most
        finally:
            over.set()
            looking.join()


def run(options: Options) -> Figures:
    """Bytes and CPU milliseconds of spaces and memories, by job.

    Then the plan that follows from them, marked as such.
    """
    if reason := postgres.absence():
        raise Unavailable(f"needs a PostgreSQL: {reason}")
    embedder = "none" if embed.absence() else "local"
    idle = [f"idle-{n}" for n in range(options.count(IDLE_SPACES, least=3))]
    active = [f"active-{n}" for n in range(options.count(ACTIVE_SPACES, least=2))]
    memories, today = options.count(MEMORIES, least=20), options.count(OF_TODAY, least=2)
    with (
        tempfile.TemporaryDirectory(prefix="glymph-capacity-") as folder,
        # What is cleaned up in the background must not be billed to whoever works at that moment.
        postgres.Server(Path(folder), settings={"autovacuum": "off"}) as server,
    ):
        per_space = _empty(server.database(), options.count(EMPTY_SPACES, least=10))
        url, day = server.database(), [BEGAN]
        with (
            closing(Watch(url)) as watch,
            Glymph.open(
                url, space="first", embedder=embedder, reader="none", clock=lambda: day[0]
            ) as glymph,
        ):
            plain = Glymph.open(
                url, space="first", embedder="none", reader="none", clock=lambda: day[0]
            )
            _make(url, [*idle, *active])
            before = watch.size()
            wrote, texts = watch.cpu(), Corpus(options.seed)
            for _ in range(10):
                for name in active:
                    _add(plain, name, texts.texts(memories // 10))
                day[0] += 6 * DAY
            add_ms = _ms(watch.cpu() - wrote, len(active) * (memories // 10) * 10)
            handles = {name: glymph_in(glymph, name) for name in active}
            glymph.add("The model is loaded before it is timed.")
            glymph.embed()
            vectors = watch.cpu()
            done = sum(handle.embed() for handle in handles.values()) if embedder != "none" else 0
            embed_ms = _ms(watch.cpu() - vectors, max(done, 1))
            per_memory = watch.size().since(before, len(active) * (memories // 10) * 10)
            fresh = partial(_add_to_all, plain, active, texts, today)
            rounds = _rounds(
                watch, glymph, day, spaces={"idle": idle, "active": active}, fresh=fresh
            )
            plain.close()  # its connections must not be counted below
            nothing_ms, look_ms = _look(watch, glymph, day, len(idle) + len(active) + 1)
            job_ms, worker_connections = _queued(watch, glymph, url, day)
            server_connections = _served(watch, list(handles.values()))
    figures = _told({"per_space": per_space, "per_memory": per_memory}, rounds) | {
        "embedder": Fact(embedder, "what made the vectors"),
        "memories_per_active_space": Figure(memories, "of which a tenth or so are of the last day"),
        "cores": Figure(
            os.cpu_count() or 1, "of the machine, shared by PostgreSQL and everything else here"
        ),
        "add_cpu_ms": Figure(add_ms, "one memory stored in bulk, both ends, without its vector"),
        "embed_cpu_ms": Figure(embed_ms, "the vector of one memory, made and stored"),
        "look_cpu_ms": Figure(
            look_ms, "finding out what is due in one space that has something to do"
        ),
        "look_nothing_cpu_ms": Figure(
            nothing_ms, "a look at all spaces when nothing is due; done every minute"
        ),
        "job_cpu_ms": Figure(
            job_ms, "one job through the queue, all included; nearly all spaces are idle"
        ),
        "server_connections": Figure(server_connections, f"at {CALLERS} calls at once"),
        "worker_connections": Figure(worker_connections, f"at {WORKERS_JOBS} jobs at once"),
    }
    return figures | _plan(figures)


def glymph_in(glymph: Glymph, space: str) -> Glymph:
    """Another space by the same connections."""
    return Glymph(replace(glymph.context, space=space))


def _make(url: str, names: Sequence[str]) -> None:
    for name in names:
        Glymph.open(url, space=name, embedder="none", reader="none", clock=lambda: BEGAN).close()


def _empty(url: str, count: int) -> Size:
    """What a space takes in which there is nothing yet, but for what upkeep notes down in it."""
    _make(url, ["first"])
    with (
        closing(Watch(url)) as watch,
        Glymph.open(url, space="first", embedder="none", reader="none") as glymph,
    ):
        for _ in StoreJobs(glymph).find_due():
            pass
        before = watch.size()
        _make(url, [f"empty-{number}" for number in range(count)])
        for _ in StoreJobs(glymph).find_due():
            pass
        return watch.size().since(before, count)


def _add(plain: Glymph, space: str, texts: Sequence[str]) -> None:
    """Adds memories without making vectors of them."""
    glymph_in(plain, space).add_many([{"text": text, "kind": "event"} for text in texts])


def _add_to_all(plain: Glymph, spaces: Sequence[str], texts: Corpus, count: int) -> None:
    for space in spaces:
        _add(plain, space, texts.texts(count))


def _ms(seconds: float, count: int) -> float:
    return 1000 * seconds / count


def _rounds(
    watch: Watch, glymph: Glymph, day: list[datetime], *, spaces: Mapping[str, Sequence[str]],
    fresh: Callable[[], None],
) -> dict[str, dict[str, float]]:  # fmt: skip
    """CPU milliseconds of each job in a space, by the kind of space.

    The first round is not counted.
    """
    found: dict[str, dict[str, float]] = {}
    never = threading.Event()
    for kind, names in spaces.items():
        found[kind] = dict.fromkeys((job.schedule for job in scheduled_jobs(all_jobs())), 0.0)
        for counted in (False, True):
            day[0] += DAY
            if kind == "active":
                fresh()
            for job in scheduled_jobs(all_jobs()):
                before = watch.cpu()
                for name in names:
                    with hold_lease(context_in(glymph, name, never)) as held:
                        if held is None:
                            raise RuntimeError(
                                "somebody else holds a space: the figures would mean nothing"
                            )
                        job.run(held, Trigger(stop=never))
                if counted:
                    found[kind][job.schedule] = _ms(watch.cpu() - before, len(names))
    return found


def _look(watch: Watch, glymph: Glymph, day: list[datetime], spaces: int) -> tuple[float, float]:
    """CPU milliseconds of a look when nothing is due, and of one when something is.

    The second is for each space, with something due in all of them.
    """
    store = StoreJobs(glymph)
    for _ in store.find_due():  # their moments are written down
        pass
    before = watch.cpu()
    nothing = len(list(store.find_due()))
    nothing_ms = _ms(watch.cpu() - before, 1)
    day[0] += DAY
    before = watch.cpu()
    found = {ticket.space for ticket in store.find_due()}
    if nothing or len(found) != spaces:
        raise RuntimeError(
            f"{nothing} jobs and {len(found)} spaces are due: the figures would mean nothing"
        )
    return nothing_ms, _ms(watch.cpu() - before, spaces)


def _queued(watch: Watch, glymph: Glymph, url: str, day: list[datetime]) -> tuple[float, int]:
    """CPU milliseconds of a job through the queue, and the most connections.

    Both are of one worker that runs the queue dry.
    """
    queue = open_queue(glymph, url=url, limit=WORKERS_JOBS)
    try:
        queue.run_dry(threading.Event())
        day[0] += 2 * DAY
        jobs, before = queue.counts().waiting, watch.cpu()
        with watch.most_connections() as most:
            queue.run_dry(threading.Event())
        return _ms(watch.cpu() - before, max(jobs, 1)), most[0]
    finally:
        queue.close()


def _served(watch: Watch, handles: Sequence[Glymph]) -> int:
    def call(number: int) -> None:
        for turn in range(10):
            handles[number % len(handles)].add(
                f"caller {number} says {turn} and {os.urandom(8).hex()}", kind="event"
            )
            handles[number % len(handles)].search(f"caller {number}")

    threads = [threading.Thread(target=call, args=(number,)) for number in range(CALLERS)]
    with watch.most_connections() as most:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return most[0]


def _told(
    sizes: Mapping[str, Size], rounds: Mapping[str, Mapping[str, float]]
) -> dict[str, Figure | Fact]:
    figures: dict[str, Figure | Fact] = {}
    for name, size in sizes.items():
        figures[f"bytes_{name}_tables"] = Figure(
            size.tables, f"{name.replace('_', ' ')}, in tables"
        )
        figures[f"bytes_{name}_indexes"] = Figure(
            size.indexes, f"{name.replace('_', ' ')}, in indexes"
        )
    runs = _runs_per_day()
    for kind, by_job in rounds.items():
        for name, cost in by_job.items():
            figures[f"{kind}_{name}_cpu_ms"] = Figure(cost, f"{name} in one {kind} space")
        daily = sum(by_job[name] * often for name, often in runs.items())
        daily -= sum(
            (by_job[name] - rounds["idle"][name]) * (often - 1)
            for name, often in runs.items()
            if name in ONCE
        )
        figures[f"{kind}_cpu_s_per_day"] = Figure(
            daily / 1000, f"all jobs of a day in one {kind} space"
        )
    return figures


def _runs_per_day() -> dict[str, float]:
    jobs = scheduled_jobs(all_jobs())
    return {job.schedule: DAY / job.interval(Settings()) for job in jobs}


def _plan(figures: Mapping[str, Figure | Fact]) -> dict[str, Figure | Fact]:
    """What follows for many spaces if every cost stays as it was measured.

    This is paper, not a measurement.
    """

    def value(name: str) -> float:
        figure = figures[name]
        assert isinstance(figure, Figure)
        return figure.value

    each = sum(value(f"bytes_per_space_{part}") for part in ("tables", "indexes"))
    memory = sum(value(f"bytes_per_memory_{part}") for part in ("tables", "indexes"))
    stored = SPACES * (each + MEMORIES_EACH * memory)
    jobs = sum(_runs_per_day().values())
    # A job of an idle space is nearly all overhead; an active space pays that and its jobs' own
    # work.
    extra = max(0.0, value("active_cpu_s_per_day") - value("idle_cpu_s_per_day"))
    # A space is looked at when something is due there: once for each job, if no two are due in the
    # same minute.
    looks = jobs * value("look_cpu_ms") / 1000
    per_space = jobs * value("job_cpu_ms") / 1000 + looks + ACTIVE_SHARE * extra
    per_core = 86_400 * BUSY / per_space
    by_look = 86_400 / looks
    databases = max(stored / BYTES_PER_DATABASE, SPACES / by_look)
    return {
        "plan_jobs_per_space_per_day": Figure(jobs, "by the intervals of the jobs"),
        "plan_cpu_s_per_space_per_day": Figure(
            per_space, f"jobs and looks, {ACTIVE_SHARE:.0%} of the spaces active"
        ),
        "plan_spaces_per_core": Figure(
            per_core, f"cores of workers and database together, {BUSY:.0%} busy"
        ),
        "plan_spaces_per_database": Figure(
            by_look, "at most: one look must end before the next begins"
        ),
        "plan_cores": Figure(SPACES / per_core, f"for {SPACES:,} spaces"),
        "plan_terabytes": Figure(
            stored / 1e12, f"{MEMORIES_EACH} memories in each of {SPACES:,} spaces"
        ),
        "plan_databases": Figure(databases, "by size or by looks, whichever needs more"),
        "plan_gigabytes_per_day": Figure(
            SPACES * ACTIVE_SHARE * OF_TODAY * memory / 1e9,
            f"growth if each active space adds {OF_TODAY} a day",
        ),
    }
