"""The suite for every queue of maintenance work.

A test class inherits QueueSuite and says how to open its own queue.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from glymph.client import Glymph
from glymph.errors import InvalidInput
from glymph.jobs.job import SESSION_END, Job, Trigger
from glymph.jobs.queues.contract import Queue
from glymph.moments import micros
from glymph.testing.clock import FrozenClock
from glymph.upkeep import queue as store_queue
from glymph.upkeep.leases import hold_lease

SPACES = ("default", "alpha", "beta", "gamma")
PATIENCE = 60.0  # seconds after which something that should happen did not
DAY = timedelta(days=1)


class Diary:
    """Jobs that count, in the store, how often they ran.

    They also tell when two ran at once in a space.
    """

    def __init__(self, *names: str, also: Callable[[Any, Trigger], object] | None = None) -> None:
        self.jobs = tuple(
            Job(name=name, every=DAY, order=at, run=self._run(name))
            for at, name in enumerate(names)
        )
        self.guard, self.active, self.most = threading.Lock(), Counter[str](), 0
        self.clashes: list[str] = []
        self.also = also

    def _run(self, name: str) -> Callable[[Any, Trigger], dict[str, Any]]:
        def run(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            with self.guard:
                self.active[ctx.space] += 1
                self.most = max(self.most, self.active.total())
                if self.active[ctx.space] > 1:
                    self.clashes.append(ctx.space)
            try:
                for _ in range(5):
                    _count(ctx, name)
                return dict(self.also(ctx, trigger) or {}) if self.also else {"n": 1}  # type: ignore[call-overload]
            finally:
                with self.guard:
                    self.active[ctx.space] -= 1

        return run


def _count(ctx: Any, name: str) -> None:
    with ctx.store.writing(ctx.space, None) as writer:
        writer.set_counter(name, (writer.counter(name) or 0) + 1)


def count_runs(glymph: Glymph, space: str, name: str) -> int:
    """Returns how often a diary's job ran in a space."""
    with glymph.context.reading(space) as reader:
        return (reader.counter(name) or 0) // 5


def outcome(glymph: Glymph, space: str, name: str) -> Any:
    with glymph.context.reading(space) as reader:
        row = reader.schedule(name)
    return json.loads(row["outcome"]) if row and row["outcome"] else None


class QueueSuite:
    """Inherit it, and give it a `url` of an empty store and a way to open a queue on it."""

    @pytest.fixture
    def url(self) -> str:
        pytest.fail("A QueueSuite needs a `url` fixture that names an empty store.")

    @pytest.fixture
    def opened(self, url: str, clock: FrozenClock) -> Iterator[Callable[..., Queue]]:
        """Yields a function that opens a queue for jobs, each on a handle of its own.

        Workers in processes of their own have their own handles, too.
        """
        ends: list[Callable[[], None]] = []

        def make(jobs: Sequence[Job], *, limit: int = 4) -> Queue:
            handle = Glymph.open(url, clock=clock, actor="daemon")
            queue = self.queue(handle, jobs, limit)
            ends.extend([handle.close, queue.close])
            return queue

        yield make
        for end in reversed(ends):
            end()

    def queue(self, glymph: Glymph, jobs: Sequence[Job], limit: int) -> Queue:
        raise NotImplementedError("A QueueSuite needs a way to open its queue.")

    @pytest.fixture
    def glymph(self, url: str, clock: FrozenClock) -> Iterator[Glymph]:
        with Glymph.open(url, clock=clock) as handle:
            for name in SPACES[1:]:
                Glymph.open(url, space=name, clock=clock).close()
            yield handle

    # who runs what

    def test_every_job_is_done_exactly_once_though_three_workers_run(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        diary = Diary("one", "two", "three")
        workers = [
            threading.Thread(target=opened(diary.jobs, limit=3).run_dry, args=(threading.Event(),))
            for _ in range(3)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(PATIENCE)
        ran = {
            (space, one.name): count_runs(glymph, space, one.name)
            for space in SPACES
            for one in diary.jobs
        }
        assert ran == dict.fromkeys(ran, 1)
        assert diary.clashes == []

    def test_jobs_of_different_spaces_run_at_the_same_time_up_to_the_limit(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        meeting = threading.Barrier(2, timeout=PATIENCE)
        diary = Diary("meets", also=lambda ctx, trigger: {"n": meeting.wait()})
        queue = opened(diary.jobs, limit=2)
        assert queue.limit == 2
        assert queue.run_dry(threading.Event())
        assert [outcome(glymph, space, "meets").keys() for space in SPACES] == [{"n"}] * len(SPACES)
        assert diary.most == 2

    def test_while_somebody_else_is_at_work_in_a_space_its_jobs_wait(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        diary = Diary("only")
        worker = threading.Thread(target=opened(diary.jobs).run_dry, args=(threading.Event(),))
        with hold_lease(glymph.context):
            worker.start()
            worker.join(2.0)
            assert worker.is_alive()
            assert count_runs(glymph, "default", "only") == 0
        worker.join(PATIENCE)
        assert count_runs(glymph, "default", "only") == 1

    def test_a_worker_that_lost_its_lease_writes_nothing_and_the_job_is_done_anew(
        self, glymph: Glymph, opened: Callable[..., Queue], clock: FrozenClock
    ) -> None:
        runs: list[str] = []

        def overtaken(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            runs.append(ctx.space)
            if len(runs) > 1:
                return {"by": "the second"}
            clock.advance(hours=1)
            with glymph.context.store.writing("default", None) as writer:
                writer.take_lease("somebody", now=micros(clock()), until=micros(clock()))
            _count(ctx, "written")
            return {"by": "the first"}

        for name in SPACES[1:]:
            glymph.delete_space(name)
        opened([Job(name="slow", every=DAY, order=0, run=overtaken)]).run_dry(threading.Event())
        assert runs == ["default", "default"]
        assert count_runs(glymph, "default", "written") == 0
        assert outcome(glymph, "default", "slow") == {"by": "the second"}

    # putting

    def test_what_is_put_twice_is_done_once(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        diary = Diary("one", "other")
        queue = opened(diary.jobs)
        queue.run_dry(threading.Event())
        assert queue.put("alpha", "one")
        assert not queue.put("alpha", "one")
        assert queue.counts().waiting == 1
        queue.run_dry(threading.Event())
        assert (count_runs(glymph, "alpha", "one"), count_runs(glymph, "alpha", "other")) == (2, 1)
        assert count_runs(glymph, "beta", "one") == 1
        assert queue.counts().waiting == 0

    def test_a_session_is_put_once_and_its_job_is_done(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        ran: list[str | None] = []

        def note_session(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            ran.append(trigger.session.id if trigger.session else None)
            return {}

        only = Job(name="only", on=SESSION_END, order=0, run=note_session)
        queue = opened([only, *Diary("job").jobs])
        assert queue.put_session("alpha", "s1", {"session_id": "mine"})
        assert not queue.put_session("alpha", "s1", {"session_id": "mine"})
        queue.run_dry(threading.Event())
        queue.run_dry(threading.Event())
        assert ran == ["mine"]

    def test_no_job_and_no_dead_letter_of_an_unknown_name(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        queue = opened(Diary("job").jobs)
        with pytest.raises(InvalidInput, match="There are job"):
            queue.put("alpha", "jobs")
        with pytest.raises(InvalidInput, match="--dead"):
            queue.retry("alpha/job")

    def test_what_comes_while_a_worker_runs_is_done_soon(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        done = {"first": threading.Event(), "second": threading.Event()}
        order = [
            Job(name=name, every=DAY, order=at, run=_setter_of(done[name]))
            for at, name in enumerate(done)
        ]
        queue = opened(order)
        with run_beside(queue):
            queue.put("beta", "first")
            assert done["first"].wait(PATIENCE)
            queue.put("beta", "second")
            assert done["second"].wait(PATIENCE)

    def test_after_a_change_the_jobs_that_follow_changes_run_too(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        told: list[str] = []

        def adds(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            with Glymph.open(glymph.url, space=ctx.space) as handle:
                handle.add("The feed is late on Mondays.")
            return {}

        def tells(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            told.append(ctx.space)
            return {}

        order = [
            Job(name="adds", every=DAY, order=0, run=adds),
            Job(name="tells", every=DAY, order=1, run=tells, after_changes=True),
        ]
        queue = opened(order)
        queue.put("gamma", "adds")
        with run_beside(queue):
            _until(lambda: told == ["gamma"])

    # what goes wrong

    def test_a_scheduled_job_that_fails_rests_is_given_up_listed_and_put_back(
        self, glymph: Glymph, opened: Callable[..., Queue], clock: FrozenClock
    ) -> None:
        broken = [True]

        def fails(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            if broken and ctx.space == "beta":
                raise ZeroDivisionError("no feed")
            return {}

        diary = Diary("steady", "fragile", also=lambda ctx, trigger: None)
        queue = opened([diary.jobs[0], Job(name="fragile", every=DAY, order=1, run=fails)])
        queue.run_dry(threading.Event())
        assert (queue.counts().resting, queue.counts().dead) == (1, 0)
        for times, minutes in enumerate((1, 4, 16, 64), start=1):
            clock.advance(minutes=minutes, seconds=-1)
            queue.run_dry(threading.Event())
            assert outcome(glymph, "beta", "fragile")["times"] == times
            assert queue.dead() == []
            clock.advance(seconds=1)
            queue.run_dry(threading.Event())
        letter = queue.dead()[0]
        assert (letter.ticket.id, letter.attempts) == ("beta/fragile", store_queue.ATTEMPTS)
        assert "no feed" in letter.why
        assert (queue.counts().resting, queue.counts().dead, queue.counts().waiting) == (0, 1, 0)
        broken.clear()
        assert queue.retry("beta/fragile") == letter
        assert queue.dead() == []
        queue.run_dry(threading.Event())
        assert outcome(glymph, "beta", "fragile") == {}
        assert count_runs(glymph, "beta", "steady") == 1

    def test_a_session_that_fails_rests_is_given_up_and_goes_on_where_it_stopped_when_put_back(
        self, glymph: Glymph, opened: Callable[..., Queue], clock: FrozenClock
    ) -> None:
        ran, broken = Counter[str](), [True]

        def good(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            ran["good"] += 1
            return {}

        def bad(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            ran["bad"] += 1
            if broken:
                raise OSError("no transcript")
            return {}

        steps = [
            Job(name=run.__name__, on=SESSION_END, order=at, run=run)
            for at, run in enumerate((good, bad))
        ]
        queue = opened([*steps, *Diary("job").jobs])
        queue.put_session("alpha", "s1", {"session_id": "mine"})
        for attempt in range(store_queue.ATTEMPTS):
            assert queue.dead() == []
            queue.run_dry(threading.Event())
            assert ran == {"good": 1, "bad": attempt + 1}
            clock.advance(days=1)
        letter = queue.dead()[0]
        assert (letter.ticket.id, letter.why) == ("alpha/session/s1", "bad: OSError: no transcript")
        broken.clear()
        queue.retry(letter.ticket.id)
        queue.run_dry(threading.Event())
        assert ran == {"good": 1, "bad": store_queue.ATTEMPTS + 1}
        assert queue.dead() == []

    def test_a_space_that_is_gone_keeps_nobody_busy(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        diary = Diary("job")
        queue = opened(diary.jobs)
        for name in SPACES:
            queue.put(name, "job")
        glymph.delete_space("beta")
        queue.run_dry(threading.Event())
        assert [count_runs(glymph, name, "job") for name in SPACES if name != "beta"] == [1, 1, 1]

    # stopping

    def test_told_to_stop_it_ends_what_is_under_way_takes_no_more_and_leaves_it_due(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        begun = threading.Event()

        def long(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            begun.set()
            return {"stopped": trigger.stop.wait(PATIENCE)}

        diary = Diary("after")
        queue = opened([Job(name="long", every=DAY, order=0, run=long), diary.jobs[0]], limit=2)
        queue.put("alpha", "long")
        queue.put("alpha", "after")
        with run_beside(queue):
            assert begun.wait(PATIENCE)
        assert outcome(glymph, "alpha", "long") is None
        assert count_runs(glymph, "alpha", "after") == 0
        assert queue.counts().waiting == 2
        assert queue.counts().running == 0

    def test_a_job_that_does_not_listen_is_left_when_the_time_is_over(
        self, glymph: Glymph, opened: Callable[..., Queue]
    ) -> None:
        begun, end = threading.Event(), threading.Event()

        def deaf(ctx: Any, trigger: Trigger) -> dict[str, Any]:
            begun.set()
            return {"ended": end.wait(PATIENCE)}

        queue, stop, drained = (
            opened([Job(name="deaf", every=DAY, order=0, run=deaf)]),
            threading.Event(),
            list[bool](),
        )
        worker = threading.Thread(target=lambda: drained.append(queue.run(stop, drain=0.2)))
        queue.put("alpha", "deaf")
        worker.start()
        try:
            assert begun.wait(PATIENCE)
            stop.set()
            worker.join(PATIENCE)
            assert drained == [False]
        finally:
            end.set()
        _until(lambda: outcome(glymph, "alpha", "deaf") == {"ended": True})


def _setter_of(event: threading.Event) -> Callable[[Any, Trigger], dict[str, Any]]:
    def run(ctx: Any, trigger: Trigger) -> dict[str, Any]:
        event.set()
        return {}

    return run


def _until(holds: Callable[[], bool]) -> None:
    patience = threading.Event()
    for _ in range(int(PATIENCE / 0.05)):
        if holds():
            return
        patience.wait(0.05)
    pytest.fail(f"after {PATIENCE:g} s it is still not so")


@contextmanager
def run_beside(queue: Queue) -> Iterator[None]:
    """Runs a worker beside the caller; it must end when it is told to stop, after the block."""
    stop, drained = threading.Event(), list[bool]()
    worker = threading.Thread(target=lambda: drained.append(queue.run(stop)))
    worker.start()
    try:
        yield
    finally:
        stop.set()
        worker.join(PATIENCE)
    assert drained == [True]
