"""The queue of a space: once in, in order, on from where it stopped, given up after some attempts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph.moments import micros
from glymph.prune.ai_prune import SESSIONS, count_session
from glymph.upkeep import queue


@pytest.fixture
def place(glymph):
    return glymph.context


def put(place, job_id="j1", **payload):
    queue.enqueue(place, job_id, "session", payload)
    return next(job for job in queue.waiting(place) if job.id == job_id)


def row(place, job_id="j1"):
    with place.reading() as reader:
        return reader.job(job_id)


def fail(place, job, step="extract"):
    """One attempt in which a step fails."""
    queue.begin(place, job)
    job.note(step, {queue.FAILED: "it is broken", "code": "Bug"})
    queue.advance(place, job, step)
    return queue.finish(place, job)


def test_jobs_wait_in_the_order_in_which_they_came_and_each_once(place):
    for job_id in ("j2", "j1", "j2"):
        queue.enqueue(place, job_id, "session", {"n": job_id})
    assert [(job.id, job.payload, job.attempts) for job in queue.waiting(place)] == [
        ("j2", {"n": "j2"}, 0),
        ("j1", {"n": "j1"}, 0),
    ]


def test_putting_a_finished_job_in_again_does_not_run_it_again(place):
    job = put(place)
    assert queue.finish(place, job) == "done"
    queue.enqueue(place, "j1", "session", {})
    assert queue.waiting(place) == []


def test_only_the_first_beginning_does_more(place):
    for _ in range(3):
        queue.begin(place, put(place), count_session)
    with place.reading() as reader:
        assert reader.counter(SESSIONS) == 1
    assert put(place).attempts == 3


def test_what_was_done_is_known_to_the_next_worker(place):
    job = put(place)
    job.report["extract"] = {"added": 3}
    queue.advance(place, job, "extract")
    later = put(place)
    assert later.step == "extract"
    assert later.has_done("extract")
    assert not later.has_done("embed")


def test_a_failure_rests_longer_each_time_and_is_given_up_in_the_end(place, clock):
    job = put(place)
    for rest in queue.RESTS:
        assert fail(place, job) == "resting"
        assert queue.waiting(place) == []
        clock.advance(seconds=rest.total_seconds() - 1)
        assert queue.waiting(place) == []
        clock.advance(seconds=1)
        [job] = queue.waiting(place)
        assert not job.has_done("extract")
    assert fail(place, job) == "given up"
    clock.advance(days=9)
    assert queue.waiting(place) == []
    with place.reading() as reader:
        [told] = reader.failed_jobs(limit=9)
    assert told["id"] == "j1"
    assert "it is broken" in told["report"]
    assert len(queue.RESTS) == queue.ATTEMPTS - 1


def test_workers_that_were_killed_do_not_use_up_attempts(place, clock):
    for _ in range(20):
        queue.begin(place, put(place))
    assert fail(place, put(place)) == "resting"


def test_a_job_that_ends_every_worker_is_given_up_and_says_so(place):
    for _ in range(queue.BEGINNINGS):
        assert queue.begin(place, put(place))
    assert not queue.begin(place, put(place))
    assert queue.waiting(place) == []
    assert "every worker" in row(place)["report"]
    assert row(place)["failed_at"] is not None


def test_a_step_that_succeeds_at_last_lets_the_job_be_done(place, clock):
    job = put(place)
    fail(place, job)
    clock.advance(minutes=10)
    [job] = queue.waiting(place)
    queue.begin(place, job)
    job.report["extract"] = {"added": 1}
    assert queue.finish(place, job) == "done"
    assert row(place)["done_at"] == micros(clock())


def test_finished_jobs_can_be_looked_at_for_a_month(place, clock):
    queue.finish(place, put(place, "old"))
    clock.advance(seconds=(queue.KEPT - timedelta(days=1)).total_seconds())
    queue.finish(place, put(place, "mid"))
    assert row(place, "old") is not None
    clock.advance(days=2)
    queue.finish(place, put(place, "new"))
    assert row(place, "old") is None
    assert row(place, "mid") is not None
