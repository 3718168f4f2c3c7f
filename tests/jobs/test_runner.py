"""The runner: jobs in order, each noted; a failure does not stop the others, a lost lease does."""

from __future__ import annotations

import json
import threading

import pytest

from glymph.errors import GlymphError, LeaseLost, StoreAway
from glymph.jobs.job import SESSION_END, Job, Session
from glymph.jobs.registry import all_jobs, jobs_on
from glymph.jobs.runner import run_item
from glymph.prune.ai_prune import SESSIONS
from glymph.upkeep import queue
from glymph.upkeep.leases import hold_lease


@pytest.fixture
def held(glymph):
    with hold_lease(glymph.context) as ctx:
        yield ctx


def put(ctx, job_id="j1", **payload):
    queue.enqueue(ctx, job_id, "session", {"event": "session-end"} | payload)
    return again(ctx, job_id)


def again(ctx, job_id="j1"):
    return next(job for job in queue.find_waiting(ctx) if job.id == job_id)


class Scripted:
    """Jobs that note that they ran, and do what they were told to."""

    def __init__(self, **told):
        self.ran = []
        self.jobs = [
            Job(name=name, on=SESSION_END, order=at, run=self._run(name, what))
            for at, (name, what) in enumerate(told.items())
        ]

    def _run(self, name, what):
        def run(ctx, trigger):
            self.ran.append(name)
            if isinstance(what, BaseException):
                raise what
            return what(ctx, trigger) if callable(what) else what

        return run


def row(ctx, job_id="j1"):
    with ctx.reading() as reader:
        found = reader.job(job_id)
    return found | {"report": json.loads(found["report"] or "{}")}


def test_the_steps_run_in_the_order_of_the_specification():
    jobs = jobs_on(SESSION_END, all_jobs())
    names = [job.name for job in jobs]
    known = ["extract", "embed", "link", "lifecycle", "ai_prune", "consolidate", "surface"]
    assert names == known
    assert names[-1] == "surface"
    assert len({job.order for job in jobs}) == len(names)


def test_a_job_is_done_when_every_step_is(held):
    script = Scripted(a={"n": 1}, b={"skipped": "nothing to do"})
    assert run_item(held, put(held), script.jobs) == "done"
    assert script.ran == ["a", "b"]
    assert row(held)["report"] == {"a": {"n": 1}, "b": {"skipped": "nothing to do"}}
    assert queue.find_waiting(held) == []


def test_a_step_that_had_nothing_to_do_is_noted_with_the_next_and_the_last_with_the_end(held):
    noted = {}
    nothing = {"skipped": "nothing to do"}

    def look(name):
        return lambda ctx, trigger: noted.update({name: list(row(held)["report"])}) or {}

    script = Scripted(a=nothing, b=look("b"), c=nothing, d=look("d"), e=nothing, f=look("f"))
    assert run_item(held, put(held), script.jobs) == "done"
    assert noted == {"b": [], "d": ["a", "b"], "f": ["a", "b", "c", "d"]}
    assert list(row(held)["report"]) == ["a", "b", "c", "d", "e", "f"]
    assert row(held)["step"] == "f"


def test_what_had_nothing_to_do_is_asked_again_by_who_goes_on_behind_a_kill(held):
    nothing = {"skipped": "nothing to do"}
    with pytest.raises(KeyboardInterrupt):
        run_item(held, put(held), Scripted(a={}, b=nothing, c=KeyboardInterrupt()).jobs)
    script = Scripted(a={}, b=nothing, c={})
    assert run_item(held, again(held), script.jobs) == "done"
    assert script.ran == ["b", "c"]


def test_the_session_is_told_to_each_step(held):
    told = []
    script = Scripted(a=lambda ctx, trigger: told.append(trigger.session) or {})
    run_item(held, put(held, session_id="s1", transcript_path="/t"), script.jobs)
    assert told == [Session("s1", "/t")]


def test_a_worker_goes_on_behind_the_last_step_that_was_noted(held):
    job = put(held)
    with pytest.raises(KeyboardInterrupt):
        run_item(held, job, Scripted(a={}, b=KeyboardInterrupt()).jobs)
    script = Scripted(a={}, b={}, c={})
    assert run_item(held, again(held), script.jobs) == "done"
    assert script.ran == ["b", "c"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (GlymphError("the model is away"), "GlymphError"),
        (RuntimeError("a bug"), "Bug"),
        (KeyError("k"), "Bug"),
    ],
)
def test_a_step_that_fails_is_reported_and_tried_again_and_the_others_run(held, clock, error, code):
    script = Scripted(a={}, b=error, c={})
    assert run_item(held, put(held), script.jobs) == "resting"
    assert script.ran == ["a", "b", "c"]
    told = row(held)["report"]["b"]
    assert (told["code"], told["times"]) == (code, 1)
    assert str(error.args[0]) in told["failed"]
    clock.advance(minutes=10)
    mended = Scripted(a={}, b={"n": 2}, c={})
    assert run_item(held, again(held), mended.jobs) == "done"
    assert mended.ran == ["b"]


def test_a_step_that_always_fails_is_given_up_and_can_be_seen(held, clock):
    put(held)
    ends = []
    for _ in range(queue.ATTEMPTS):
        ends.append(run_item(held, again(held), Scripted(a=RuntimeError("broken")).jobs))
        clock.advance(days=1)
    assert ends == ["resting"] * 4 + ["given up"]
    with held.reading() as reader:
        [told] = reader.failed_jobs(limit=5)
    assert "broken" in told["report"]


def test_a_lost_lease_stops_the_job_at_once_and_notes_nothing(held):
    script = Scripted(a={}, b=LeaseLost("another"), c={})
    with pytest.raises(LeaseLost):
        run_item(held, put(held), script.jobs)
    assert script.ran == ["a", "b"]
    assert list(row(held)["report"]) == ["a"]


def test_a_step_that_finds_the_store_away_is_run_again_without_a_rest(held):
    away = Scripted(first={}, second=StoreAway("the server went away"), third={})
    with pytest.raises(StoreAway):
        run_item(held, put(held), away.jobs)
    assert row(held)["step"] == "first"
    back = Scripted(first={}, second={}, third={})
    assert run_item(held, again(held), back.jobs) == queue.DONE
    assert back.ran == ["second", "third"]


def test_who_is_asked_to_stop_does_so_between_two_steps(held):
    script = Scripted(a=lambda ctx, trigger: trigger.stop.set() or {}, b={})
    assert run_item(held, put(held), script.jobs, threading.Event()) == "stopped"
    assert script.ran == ["a"]
    assert run_item(held, again(held), script.jobs) == "done"
    assert script.ran == ["a", "b"]


def test_what_a_job_cut_short_or_failed_at_when_asked_to_stop_is_run_again(held):
    def fail(ctx, trigger):
        trigger.stop.set()
        raise GlymphError("called off")

    for cut_short in (lambda ctx, trigger: {"stopped": True, "n": 1}, fail):
        job_id = f"j{cut_short.__name__}"
        script = Scripted(a={}, b=cut_short, c={})
        assert run_item(held, put(held, job_id), script.jobs, threading.Event()) == "stopped"
        assert (script.ran, list(row(held, job_id)["report"])) == (["a", "b"], ["a"])
        script = Scripted(a={}, b={}, c={})
        assert run_item(held, again(held, job_id), script.jobs) == "done"
        assert script.ran == ["b", "c"]


def test_a_job_that_reports_a_failure_is_given_up_like_one_that_raises(held, clock):
    put(held)
    ends = []
    for _ in range(queue.ATTEMPTS):
        ends.append(run_item(held, again(held), Scripted(a={"failed": "no feed"}).jobs))
        clock.advance(days=1)
    assert ends == ["resting"] * 4 + ["given up"]


def test_only_the_end_of_a_session_counts_as_one_and_only_once(held, clock):
    run_item(held, put(held, "compacted", event="pre-compact"), [])
    run_item(held, put(held, "ended"), Scripted(a=RuntimeError()).jobs)
    clock.advance(hours=1)
    run_item(held, again(held, "ended"), [])
    with held.reading() as reader:
        assert reader.counter(SESSIONS) == 1


def test_a_job_that_was_begun_too_often_does_not_run_again(held):
    job = put(held)
    for _ in range(queue.BEGINNINGS):
        queue.begin(held, again(held))
    job = again(held)
    script = Scripted(a={})
    assert run_item(held, job, script.jobs) == "given up"
    assert script.ran == []
