"""The daemon keeps to its schedule, whatever happens to it, and never does a thing twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from glymph import Glymph
from glymph.errors import SpaceNotFound, StoreError
from glymph.jobs import daemon
from glymph.jobs.job import Job
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.moments import micros
from glymph.prune.schedule import SPREAD, due, jitter, next_due
from glymph.testing import FrozenClock
from glymph.upkeep import queue
from glymph.upkeep.leases import hold_lease
from tests.grounds.reading import put_in_question
from tests.pace import NIGHTLY

HOUR, MINUTE = 3_600_000_000, 60_000_000
DAYS = 30 if NIGHTLY else 6
FAST = {"durability": "normal"}


@pytest.fixture
def url(tmp_path):
    """A store in memory where there is such a folder: days have thousands of commits."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(
        dir=memory if memory.is_dir() else tmp_path, ignore_cleanup_errors=True
    ) as folder:
        yield f"sqlite:///{folder}/memory.db"


@pytest.fixture
def small(url, clock):
    with Glymph.open(url, clock=clock, settings=FAST) as handle:
        yield handle


class Diary:
    """Jobs that only write down when they ran."""

    def __init__(self, clock, **every):
        self.clock, self.ran = clock, {name: [] for name in every}
        self.jobs = tuple(
            Job(name=name, every=length, order=at, run=self._run(name))
            for at, (name, length) in enumerate(every.items())
        )

    def _run(self, name):
        def run(ctx, trigger):
            self.ran[name].append(self.clock())
            return {"n": len(self.ran[name])}

        return run


def lived(handle, clock, length, *, jobs=None, look=1800.0, spaces=()):
    """The daemon from now on for so long, in the clock's time."""
    stop, ends = threading.Event(), clock() + length

    def sleep(seconds):
        clock.set(min(ends, clock() + timedelta(seconds=max(seconds, 0.001))))
        if clock() >= ends:
            stop.set()

    daemon.run(handle, spaces, stop=stop, sleep=sleep, look=look, jobs=jobs)


def schedule(handle, job):
    with handle.context.reading() as reader:
        return reader.schedule(job)


def outcome(handle, job):
    return json.loads(schedule(handle, job)["outcome"])


# when something is due


def test_a_job_that_was_never_kept_is_due_after_its_jitter():
    assert due(None, HOUR, 1000, 50) == 1050


def test_jitter_is_the_same_for_one_space_spreads_over_many_and_stays_under_a_tenth():
    waits = [jitter(f"space {number}", "decay", HOUR) for number in range(1000)]
    assert waits == [jitter(f"space {number}", "decay", HOUR) for number in range(1000)]
    assert all(0 <= wait < HOUR // SPREAD for wait in waits)
    tenths = Counter(wait * 10 // (HOUR // SPREAD) for wait in waits)
    assert len(tenths) == 10
    assert min(tenths.values()) > 60
    assert jitter("default", "decay", HOUR) != jitter("default", "health", HOUR)


def test_missed_runs_are_made_up_once_and_the_beat_is_kept():
    assert due(5 * HOUR, HOUR, 20 * HOUR, 0) == 5 * HOUR
    assert next_due(5 * HOUR + 7, HOUR, 20 * HOUR) == 20 * HOUR + 7
    assert next_due(5 * HOUR, HOUR, 5 * HOUR) == 6 * HOUR
    assert next_due(5 * HOUR, HOUR, 4 * HOUR) == 5 * HOUR


def test_a_clock_that_was_set_back_puts_nothing_off_for_longer_than_an_interval():
    kept = 1000 * HOUR + 7
    found = due(kept, HOUR, 10 * HOUR, 0)
    assert 10 * HOUR < found <= 11 * HOUR
    assert (kept - found) % HOUR == 0
    assert due(11 * HOUR, HOUR, 10 * HOUR, 0) == 11 * HOUR


# many days: a month at night


def test_restarting_the_daemon_every_hour_for_days_every_job_ran_on_its_schedule(url):
    clock = FrozenClock()
    diary = Diary(
        clock,
        half_hourly=timedelta(minutes=30),
        hourly=timedelta(hours=1),
        quarterly=timedelta(hours=6),
        daily=timedelta(days=1),
    )
    began = clock()
    for _ in range(DAYS * 24):
        with Glymph.open(url, clock=clock, settings=FAST) as handle:
            lived(handle, clock, timedelta(hours=1), jobs=diary.jobs)
    assert clock() - began == timedelta(days=DAYS)
    assert {name: len(times) for name, times in diary.ran.items()} == {
        "half_hourly": 48 * DAYS, "hourly": 24 * DAYS, "quarterly": 4 * DAYS, "daily": DAYS,
    }  # fmt: skip
    for job in diary.jobs:
        times = diary.ran[job.name]
        beats = {later - earlier for earlier, later in pairwise(times)}
        assert all(abs(beat - job.every) <= timedelta(seconds=1) for beat in beats), job.name


def test_the_built_in_jobs_of_many_days_run_as_often_as_they_should(small, clock, monkeypatch):
    small.add("The nightly import fails on Mondays because the feed is late.", kind="lesson")
    counted = Counter()
    jobs = [replace(job, run=_counting(counted, job)) for job in all_jobs()]
    lived(small, clock, timedelta(days=DAYS), jobs=jobs)
    wanted = {
        "questions": 48 * DAYS,
        "health": 24 * DAYS,
        "lifecycle": 12 * DAYS,
        "ai_prune": 12 * DAYS,
        "decay": 4 * DAYS,
        "embed": 2 * DAYS,
        "trash": DAYS,
        "garden": DAYS,
        "idle": 144 * DAYS,
        "consolidate": DAYS,
    }
    assert {name: counted[name] for name in wanted} == wanted
    assert counted["surface"] >= DAYS
    assert (
        outcome(small, "decay")["active"]
        + outcome(small, "decay")["weak"]
        + outcome(small, "decay")["dormant"]
        == 1
    )
    assert outcome(small, "embed") == {"skipped": "no embedder"}
    assert "failed" not in " ".join(
        schedule(small, one.schedule)["outcome"] for one in scheduled_jobs(jobs)
    )
    assert small.verify().ok


def _counting(counted, job):
    def run(ctx, trigger):
        counted[job.name] += 1
        return job.run(ctx, trigger)

    return run


def test_a_machine_that_slept_for_a_week_makes_up_for_one_run_and_goes_on(small, clock):
    diary = Diary(clock, hourly=timedelta(hours=1))
    lived(small, clock, timedelta(hours=5), jobs=diary.jobs)
    clock.advance(days=7)
    lived(small, clock, timedelta(hours=5), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) in (10, 11)


def test_a_clock_that_jumps_ahead_and_back_does_not_stop_upkeep(small, clock):
    diary = Diary(clock, hourly=timedelta(hours=1))
    lived(small, clock, timedelta(hours=5), jobs=diary.jobs)
    before = len(diary.ran["hourly"])
    clock.advance(days=365)
    lived(small, clock, timedelta(minutes=1), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) == before + 1
    clock.advance(days=-365)
    lived(small, clock, timedelta(hours=10), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) - before - 1 in (9, 10)


def test_two_daemons_at_once_do_nothing_twice(url, clock):
    diary = Diary(clock, half_hourly=timedelta(minutes=30), quarterly=timedelta(hours=6))
    with (
        Glymph.open(url, clock=clock, settings=FAST) as one,
        Glymph.open(url, clock=clock, settings=FAST) as other,
    ):
        for _ in range(24 * 12):
            clock.advance(minutes=5)
            together = threading.Barrier(2)
            runs = [
                threading.Thread(target=_look, args=(handle, diary, together))
                for handle in (one, other)
            ]
            for run in runs:
                run.start()
            for run in runs:
                run.join()
    assert len(diary.ran["half_hourly"]) == 48
    assert len(diary.ran["quarterly"]) == 4


def _look(handle, diary, together):
    together.wait()
    daemon.run_once(handle, stop=threading.Event(), jobs=diary.jobs)


def test_every_space_has_its_own_times(small, clock):
    for number in range(5):
        Glymph.open(small.url, space=f"project-{number}", clock=clock).close()
    diary = Diary(clock, daily=timedelta(days=1))
    lived(small, clock, timedelta(days=1), jobs=diary.jobs)
    assert len(diary.ran["daily"]) == 6
    assert len(set(diary.ran["daily"])) == 6


def test_only_the_named_spaces_are_looked_after_and_a_wrong_name_is_an_error(small, clock):
    Glymph.open(small.url, space="work", clock=clock).close()
    diary = Diary(clock, hourly=timedelta(hours=1))
    lived(small, clock, timedelta(hours=3), jobs=diary.jobs, spaces=["work"])
    assert len(diary.ran["hourly"]) == 3
    assert schedule(small, "hourly") is None
    with pytest.raises(SpaceNotFound):
        daemon.run(small, ["wrok"], stop=threading.Event())


def test_a_space_that_was_deleted_or_made_meanwhile_is_noticed(small, clock):
    Glymph.open(small.url, space="short-lived", clock=clock).close()
    diary = Diary(clock, hourly=timedelta(hours=1))
    lived(small, clock, timedelta(hours=2), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) == 4
    small.delete_space("short-lived")
    Glymph.open(small.url, space="new", clock=clock).close()
    lived(small, clock, timedelta(hours=2), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) == 8
    with small.context.reading("new") as reader:
        assert reader.schedule("hourly")["last_run_at"] is not None


def test_a_store_that_can_only_be_read_is_refused(small, clock):
    with (
        Glymph.open(f"{small.url}?mode=ro", clock=clock, create=False) as handle,
        pytest.raises(StoreError, match="may write to it"),
    ):
        daemon.run_once(handle, stop=threading.Event())


def test_a_space_that_vanishes_under_the_daemon_does_not_keep_it_awake(small, clock):
    Glymph.open(small.url, space="short-lived", clock=clock).close()
    diary, stop, naps = Diary(clock, hourly=timedelta(hours=1)), threading.Event(), []

    def sleep(seconds):
        naps.append(seconds)
        clock.advance(seconds=seconds)
        if len(naps) == 3:
            small.delete_space("short-lived")
        if len(naps) == 20:
            stop.set()

    daemon.run(small, stop=stop, sleep=sleep, jobs=diary.jobs)
    assert sum(naps[4:]) > 10 * daemon.LOOK


def test_a_store_that_is_away_for_a_while_does_not_end_the_daemon(small, clock, monkeypatch):
    diary, real, looks = Diary(clock, hourly=timedelta(hours=1)), small.spaces, []

    def spaces():
        looks.append(clock())
        if 2 <= len(looks) <= 4:
            raise StoreError("The disk is away.")
        return real()

    monkeypatch.setattr(small, "spaces", spaces)
    lived(small, clock, timedelta(hours=5), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) >= 4


# what goes wrong


def failing(error):
    def run(ctx, trigger):
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StoreError("The disk is full."), "The disk is full."),
        (ZeroDivisionError("x"), "ZeroDivision"),
    ],
)
def test_a_job_that_fails_is_told_as_its_outcome_and_the_others_run(small, clock, error, words):
    diary = Diary(clock, after=timedelta(hours=1))
    broken = Job(name="broken", every=timedelta(hours=1), order=0, run=failing(error))
    lived(small, clock, timedelta(hours=3), jobs=(broken, *diary.jobs))
    assert words in outcome(small, "broken")["failed"]
    assert len(diary.ran["after"]) == 3


def test_while_another_holds_the_lease_nothing_runs_and_then_it_is_made_up(small, clock):
    diary = Diary(clock, hourly=timedelta(hours=1))
    daemon.run_once(small, stop=threading.Event(), jobs=diary.jobs)
    clock.advance(hours=1)
    with hold_lease(small.context):
        daemon.run_once(small, stop=threading.Event(), jobs=diary.jobs)
        assert diary.ran["hourly"] == []
    daemon.run_once(small, stop=threading.Event(), jobs=diary.jobs)
    assert len(diary.ran["hourly"]) == 1


def test_who_lost_the_lease_keeps_nothing_of_its_run(small, clock):
    def taken_over(ctx, trigger):
        clock.advance(hours=2)
        with small.context.store.writing("default", None) as writer:
            writer.take_lease("somebody", now=micros(clock()), until=micros(clock()) + HOUR)
        return {"mine": True}

    jobs = (Job(name="slow", every=timedelta(hours=1), order=0, run=taken_over),)
    daemon.run_once(small, stop=threading.Event(), jobs=jobs)
    clock.advance(hours=1)
    daemon.run_once(small, stop=threading.Event(), jobs=jobs)
    assert schedule(small, "slow")["outcome"] is None


def test_a_daemon_that_dies_in_the_middle_of_a_job_leaves_it_due(small, clock):
    killed = Job(name="killed", every=timedelta(hours=1), order=0, run=failing(KeyboardInterrupt()))
    daemon.run_once(small, stop=threading.Event(), jobs=(killed,))
    clock.advance(hours=1)
    with pytest.raises(KeyboardInterrupt):
        daemon.run_once(small, stop=threading.Event(), jobs=(killed,))
    assert schedule(small, "killed")["last_run_at"] is None
    diary = Diary(clock, killed=timedelta(hours=1))
    daemon.run_once(small, stop=threading.Event(), jobs=diary.jobs)
    assert len(diary.ran["killed"]) == 1


def test_a_stop_ends_the_turn_and_what_was_cut_short_stays_due(small, clock):
    stop = threading.Event()
    diary = Diary(clock, after=timedelta(minutes=10))

    def long(ctx, trigger):
        stop.set()
        return {"stopped": trigger.stop.is_set()}

    jobs = (Job(name="long", every=timedelta(minutes=10), order=0, run=long), *diary.jobs)
    daemon.run_once(small, stop=stop, jobs=jobs)
    clock.advance(hours=1)
    stop.clear()
    daemon.run(small, stop=stop, jobs=jobs)
    assert diary.ran["after"] == []
    assert schedule(small, "long")["last_run_at"] is None
    assert schedule(small, "long")["due_at"] <= micros(clock())


# the built-in jobs and the queue


def at_once(handle, clock):
    """Every job once, as if each were due."""
    daemon.run_once(handle, stop=threading.Event())
    clock.advance(days=1)
    daemon.run_once(handle, stop=threading.Event())


def test_jobs_that_wait_in_the_queue_are_run(small):
    queue.enqueue(small.context, "job-1", "upkeep", {"session_id": None})
    daemon.run_once(small, stop=threading.Event())
    assert small.unfinished() == 0
    with small.context.reading() as reader:
        assert reader.job("job-1")["done_at"] is not None


def test_questions_that_nobody_answered_in_time_are_kept_as_both(small, clock):
    gate = small.add("The gate code is 1234.", kind="fact", pinned=True).id
    newer = small.add("The gate code is now 4321.", kind="fact")
    put_in_question(small, gate, newer.id)
    clock.advance(days=15)
    at_once(small, clock)
    assert outcome(small, "conflicts") == {"open": 0, "kept_both": 1}
    assert {small.get(gate).state, small.get(newer.id).state} == {"LIVE"}
    clock.advance(hours=1)
    daemon.run_once(small, stop=threading.Event())
    assert outcome(small, "conflicts") == {"open": 0, "kept_both": 0}


def test_expired_trash_is_purged_and_an_empty_one_leaves_no_operation(small, clock):
    at_once(small, clock)
    before = small.health().operations
    clock.advance(days=1)
    daemon.run_once(small, stop=threading.Event())
    assert small.health().operations == before
    memory = small.add("The old import ran at noon every day.", kind="fact").id
    small.delete(memory)
    clock.advance(days=31)
    daemon.run_once(small, stop=threading.Event())
    assert small.health().trashed == 0


def test_the_digest_is_made_anew_after_a_change(small, clock):
    at_once(small, clock)
    made = schedule(small, "surface")["last_run_at"]
    small.add("The old import ran at noon every day.", kind="fact", pinned=True)
    small.add("The old import runs at midnight now, every day.", kind="fact")
    clock.advance(days=15)
    daemon.run_once(small, stop=threading.Event())
    assert schedule(small, "surface")["last_run_at"] > made


def test_health_says_when_the_disk_is_nearly_full(small, clock, monkeypatch):
    monkeypatch.setattr("glymph.upkeep.status.LITTLE", 10**12)
    at_once(small, clock)
    assert "left on the disk" in outcome(small, "health")["failed"]
    assert small.autonomous_status().health == "failing"


def test_a_model_call_ends_when_the_daemon_is_told_to_stop(url, clock):
    from glymph.llm.dialogue import Message
    from glymph.llm.interrupt import stoppable
    from glymph.testing.scripted_model import ScriptedModel

    stop = threading.Event()
    seen = {}

    class Listening(ScriptedModel):
        def complete(self, messages, schema=None, **options):
            seen.update(options)
            return super().complete(messages, schema, **options)

    with Glymph.open(url, clock=clock, model=Listening(["{}"])) as handle:
        stoppable(handle.context, stop).model.complete([Message("user", "hello")])
    assert seen["cancel"] is stop


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_the_process_at_once_with_status_zero(url, number):
    with Glymph.open(url):
        pass
    command = [sys.executable, "-m", "glymph.cli.start", "daemon", "--url", url, "--log-json"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        first = json.loads(process.stderr.readline())
        assert "looking after every space" in first["message"]
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0
    assert json.loads(said.splitlines()[-1])["message"] == "stopped"
