"""Real workers in processes of their own, killed in the middle of jobs.

The database is killed under them, too.

Each job has an effect that can be counted: steps that are written one by one, each with the number
of its lease. The worker is the real command; only its times are shorter, and its jobs are those
of this test.
"""

from __future__ import annotations

import importlib.util
import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from glymph import Glymph
from glymph.prune.ai_prune import SESSIONS
from glymph.store.contract import Filter
from glymph.testing import postgres as postgresql
from glymph.upkeep.queue import enqueue

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="kills processes"),
    pytest.mark.skipif(postgresql.absence() is not None, reason=str(postgresql.absence())),
]

SPACES = ("default", "alpha", "beta", "gamma")
STEPS = 25
PATIENCE = 120.0  # seconds

WORKER = """
import os, signal, sys, time
from dataclasses import replace
from datetime import timedelta
from glymph.cli.main import main
from glymph.jobs import queues, registry, schedule
from glymph.jobs.job import Job
from glymph.jobs.queues.procrastinate import ProcrastinateQueue
from glymph.upkeep import leases
from glymph.testing.builders import memory_row

STEPS, SLEEPS, QUEUE = int(sys.argv.pop(1)), int(sys.argv.pop(1)), sys.argv.pop(1)
schedule.REST = timedelta(seconds=0.5)
# Who sleeps must not be in a transaction then.
leases.LASTS, leases.RENEWED = 2.0, 60.0 if SLEEPS else 0.4

def run(ctx, trigger):
    while True:
        with ctx.reading() as reader:
            done = reader.counter("steps") or 0
        if done == STEPS:
            return {"steps": done}
        if trigger.stop.is_set():
            return {"stopped": True}
        time.sleep(0.05)
        if done + 1 == SLEEPS:
            os.kill(os.getpid(), signal.SIGSTOP)
            # It may take a moment to reach every thread; a lock on a file would stop everybody.
            time.sleep(0.5)
        with ctx.operation("add") as doing:
            text = f"step {done:03} under {ctx.store._fence}"
            doing.writer.insert("memories", [memory_row(text)])
            doing.writer.set_counter("steps", (doing.writer.counter("steps") or 0) + 1)

def opened(glymph, *, url=None, limit):
    return ProcrastinateQueue(
        glymph, url=QUEUE, limit=limit, look=1, poll=0.1, beat=0.4, stalled=2.0
    )

tally = Job(name="tally", every=timedelta(days=1), order=10, run=run)
after_sessions = [replace(job, every=None) for job in registry.all_jobs() if job.on]
registry.all_jobs = lambda: (*after_sessions, tally)
queues.open_queue = opened
main()
"""


@pytest.fixture
def server(tmp_path):
    """A server of our own: it is killed."""
    with postgresql.Server(tmp_path / "server") as one:
        yield one


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)])
def place(request, server, tmp_path):
    """The URL of a store with something to do in each of its spaces, and that of the queue."""
    queue = server.database("work")
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/memory.db"
    elif importlib.util.find_spec("glymph.store.backends.postgresql.database") is None:
        pytest.skip("there is no store in PostgreSQL yet")
    else:
        url = queue
    for name in SPACES:
        with Glymph.open(url, space=name) as handle:
            enqueue(handle.context, "ended", "session", {"event": "session-end", "session_id": "s"})
            with handle.context.store.writing(name, None) as writer:
                writer.set_schedule("tally", due_at=1, last_run_at=None, outcome=None)
    return url, queue


class Workers:
    """Workers as processes, in the order in which they were started."""

    def __init__(self, url, queue, folder):
        self.url, self.queue, self.folder, self.all = url, queue, folder, []

    def start(self, *, concurrency=2, drain=30, sleeps=0):
        """One more; `sleeps` is the step before which it suspends itself."""
        script = [sys.executable, "-c", WORKER, str(STEPS), str(sleeps), self.queue]
        options = [
            "--url",
            self.url,
            "--concurrency",
            str(concurrency),
            "--drain",
            str(drain),
            "--log-json",
        ]
        with (self.folder / f"log {len(self.all)}").open("ab") as log:
            self.all.append(subprocess.Popen([*script, "worker", *options], stderr=log, stdout=log))

    def living(self):
        return [one for one in self.all if one.poll() is None]

    def last_words(self):
        return "\n".join(log.read_text()[-800:] for log in sorted(self.folder.glob("log *")))

    def kill(self, chance):
        living = self.living()
        assert living, self.last_words()
        one = chance.choice(living)
        one.send_signal(signal.SIGKILL)
        one.wait()

    def await_begin(self, one):
        """Before it hears signals, one that asks it to stop would end it at once."""
        log, until = self.folder / f"log {self.all.index(one)}", time.monotonic() + PATIENCE
        while "working on" not in log.read_text():
            assert one.poll() is None, log.read_text()
            assert time.monotonic() < until, "the worker did not begin"
            threading.Event().wait(0.05)

    def end(self):
        """Tells all to stop; their exit statuses."""
        left = self.living()
        for one in left:
            self.await_begin(one)
            one.send_signal(signal.SIGTERM)
        return [one.wait(60) for one in left]


@pytest.fixture
def workers(place, tmp_path):
    started = Workers(*place, tmp_path)
    yield started
    for one in started.living():
        one.kill()
        one.wait()


def steps(handle, space):
    """The steps that were written in a space, in the order of their keys.

    It gives their numbers and their leases.
    """
    with handle.context.reading(space) as reader:
        rows = reader.page(Filter(), before=None, limit=1000)
    texts = [
        row["text"]
        for row in sorted(rows, key=lambda row: row["key"])
        if row["text"].startswith("step ")
    ]
    return [(int(text.split()[1]), int(text.split()[3])) for text in texts]


def finished(handle):
    """Tells whether every job came to its end."""
    for space in SPACES:
        with handle.context.reading(space) as reader:
            tally, session = reader.schedule("tally"), reader.job("ended")
        if json.loads(tally["outcome"] or "{}") != {"steps": STEPS} or session["done_at"] is None:
            return False  # one that failed because the database was away is tried again
    return True


def awaited(url, holds):
    pause, until = threading.Event(), time.monotonic() + PATIENCE
    with Glymph.open(url) as handle:
        while not holds(handle):
            assert time.monotonic() < until, "the workers did not come to the end"
            pause.wait(0.1)


def judged(url):
    """Nothing is lost, nothing is doubled, and who was followed by another never wrote again."""
    with Glymph.open(url) as handle:
        assert finished(handle)
        for space in SPACES:
            told = steps(handle, space)
            assert [number for number, _ in told] == list(range(STEPS))
            leases = [lease for _, lease in told]
            assert leases == sorted(leases)
            with handle.context.reading(space) as reader:
                assert reader.counter(SESSIONS) == 1
                assert len(reader.operations(limit=1000, verb="add")) == STEPS


def test_workers_that_are_killed_lose_nothing_and_double_nothing(place, workers):
    url, _ = place
    chance, kills = random.Random(5), 0
    for _ in range(3):
        workers.start()
    with Glymph.open(url) as handle:
        seen = sum(len(steps(handle, space)) for space in SPACES)
        while kills < 6 and not finished(handle):
            wanted, until = seen + 8, time.monotonic() + PATIENCE
            while seen < wanted and not finished(handle) and time.monotonic() < until:
                threading.Event().wait(0.02)
                seen = sum(len(steps(handle, space)) for space in SPACES)
            workers.kill(chance)
            workers.start()
            kills += 1
    assert kills >= 5
    awaited(url, finished)
    assert workers.end() == [0, 0, 0]
    judged(url)


def test_a_database_that_is_killed_ends_no_worker_and_costs_no_job(place, workers, server):
    url, _ = place
    for _ in range(2):
        workers.start()
    awaited(url, lambda handle: sum(len(steps(handle, space)) for space in SPACES) >= 20)
    for _ in range(2):
        server.kill()
        server.start()
        threading.Event().wait(1.0)
    awaited(url, finished)
    assert workers.end() == [0, 0]
    judged(url)


def test_a_worker_can_be_stopped_while_the_database_is_away(place, workers, server):
    url, _ = place
    workers.start(drain=3)
    awaited(url, lambda handle: sum(len(steps(handle, space)) for space in SPACES) >= 4)
    server.kill()
    assert workers.end() == [0]
    server.start()
    workers.start()
    awaited(url, finished)
    judged(url)


def test_a_worker_that_slept_while_another_took_over_changes_nothing_when_it_wakes(place, workers):
    url, _ = place
    workers.start(concurrency=1, sleeps=4)
    sleeper = workers.all[0]
    awaited(url, lambda handle: suspended(sleeper.pid))
    try:
        workers.start()
        awaited(url, finished)
        before = told_by(url)
    finally:
        sleeper.send_signal(signal.SIGCONT)
    assert workers.end() == [0, 0]
    assert told_by(url) == before
    judged(url)


def suspended(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def told_by(url):
    with Glymph.open(url) as handle:
        return {space: steps(handle, space) for space in SPACES}
