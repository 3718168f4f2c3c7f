"""The queue of a space: once in, in order, on where it stopped, given up after some attempts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph.moments import micros
from glymph.prune.ai_prune import SESSIONS, count_session
from glymph.upkeep import queue


@pytest.fixture
def ctx(glymph):
    return glymph.context


def put(ctx, job_id="j1", **payload):
    queue.enqueue(ctx, job_id, "session", payload)
    return next(job for job in queue.find_waiting(ctx) if job.id == job_id)


def row(ctx, job_id="j1"):
    with ctx.reading() as reader:
        return reader.job(job_id)


def fail(ctx, job, step="extract"):
    """One attempt in which a step fails."""
    queue.begin(ctx, job)
    job.note(step, {queue.FAILED: "it is broken", "code": "Bug"})
    queue.advance(ctx, job, step)
    return queue.finish(ctx, job)


def test_jobs_wait_in_the_order_in_which_they_came_and_each_once(ctx):
    for job_id in ("j2", "j1", "j2"):
        queue.enqueue(ctx, job_id, "session", {"n": job_id})
    assert [(job.id, job.payload, job.attempts) for job in queue.find_waiting(ctx)] == [
        ("j2", {"n": "j2"}, 0),
        ("j1", {"n": "j1"}, 0),
    ]


def test_putting_a_finished_job_in_again_does_not_run_it_again(ctx):
    job = put(ctx)
    assert queue.finish(ctx, job) == "done"
    queue.enqueue(ctx, "j1", "session", {})
    assert queue.find_waiting(ctx) == []


def test_only_the_first_beginning_does_more(ctx):
    for _ in range(3):
        queue.begin(ctx, put(ctx), count_session)
    with ctx.reading() as reader:
        assert reader.counter(SESSIONS) == 1
    assert put(ctx).attempts == 3


def test_what_was_done_is_known_to_the_next_worker(ctx):
    job = put(ctx)
    job.report["extract"] = {"added": 3}
    queue.advance(ctx, job, "extract")
    later = put(ctx)
    assert later.step == "extract"
    assert later.has_done("extract")
    assert not later.has_done("embed")


def test_a_failure_rests_longer_each_time_and_is_given_up_in_the_end(ctx, clock):
    job = put(ctx)
    for rest in queue.RESTS:
        assert fail(ctx, job) == "resting"
        assert queue.find_waiting(ctx) == []
        clock.advance(seconds=rest.total_seconds() - 1)
        assert queue.find_waiting(ctx) == []
        clock.advance(seconds=1)
        [job] = queue.find_waiting(ctx)
        assert not job.has_done("extract")
    assert fail(ctx, job) == "given up"
    clock.advance(days=9)
    assert queue.find_waiting(ctx) == []
    with ctx.reading() as reader:
        [told] = reader.failed_jobs(limit=9)
    assert told["id"] == "j1"
    assert "it is broken" in told["report"]
    assert len(queue.RESTS) == queue.ATTEMPTS - 1


def test_workers_that_were_killed_do_not_use_up_attempts(ctx, clock):
    for _ in range(20):
        queue.begin(ctx, put(ctx))
    assert fail(ctx, put(ctx)) == "resting"


def test_a_job_that_ends_every_worker_is_given_up_and_says_so(ctx):
    for _ in range(queue.BEGINNINGS):
        assert queue.begin(ctx, put(ctx))
    assert not queue.begin(ctx, put(ctx))
    assert queue.find_waiting(ctx) == []
    assert "every worker" in row(ctx)["report"]
    assert row(ctx)["failed_at"] is not None


def test_a_step_that_succeeds_at_last_lets_the_job_be_done(ctx, clock):
    job = put(ctx)
    fail(ctx, job)
    clock.advance(minutes=10)
    [job] = queue.find_waiting(ctx)
    queue.begin(ctx, job)
    job.report["extract"] = {"added": 1}
    assert queue.finish(ctx, job) == "done"
    assert row(ctx)["done_at"] == micros(clock())


def test_finished_jobs_can_be_looked_at_for_a_month(ctx, clock):
    queue.finish(ctx, put(ctx, "old"))
    clock.advance(seconds=(queue.KEPT - timedelta(days=1)).total_seconds())
    queue.finish(ctx, put(ctx, "mid"))
    assert row(ctx, "old") is not None
    clock.advance(days=2)
    queue.finish(ctx, put(ctx, "new"))
    assert row(ctx, "old") is None
    assert row(ctx, "mid") is not None
