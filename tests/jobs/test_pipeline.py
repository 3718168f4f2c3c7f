"""The pipeline: steps in order, each noted; a failure does not stop the others, a lost lease does."""

from __future__ import annotations

import json

import pytest

from glymph.errors import GlymphError, LeaseLost
from glymph.jobs import pipeline
from glymph.jobs.steps import Session, Step, steps
from glymph.prune.ai_prune import SESSIONS
from glymph.upkeep import queue
from glymph.upkeep.leases import leased


@pytest.fixture
def held(glymph):
    with leased(glymph.context) as place:
        yield place


def put(place, job_id="j1", **payload):
    queue.enqueue(place, job_id, "session", {"event": "session-end"} | payload)
    return again(place, job_id)


def again(place, job_id="j1"):
    return next(job for job in queue.waiting(place) if job.id == job_id)


class Scripted:
    """Steps that note that they ran, and do what they were told to."""

    def __init__(self, **told):
        self.ran = []
        self.order = [
            Step(name, at, self._run(name, what)) for at, (name, what) in enumerate(told.items())
        ]

    def _run(self, name, what):
        def run(place, session):
            self.ran.append(name)
            if isinstance(what, BaseException):
                raise what
            return what(place, session) if callable(what) else what

        return run


def row(place, job_id="j1"):
    with place.reading() as reader:
        found = reader.job(job_id)
    return found | {"report": json.loads(found["report"] or "{}")}


def test_the_steps_run_in_the_order_of_the_specification():
    names = [step.name for step in steps()]
    known = ["extract", "embed", "link", "lifecycle", "ai_prune", "consolidate", "surface"]
    assert names == [name for name in known if name in names]
    assert names[-1] == "surface"
    assert len({step.order for step in steps()}) == len(names)


def test_a_job_is_done_when_every_step_is(held):
    script = Scripted(a={"n": 1}, b={"skipped": "nothing to do"})
    assert pipeline.run(held, put(held), order=script.order) == "done"
    assert script.ran == ["a", "b"]
    assert row(held)["report"] == {"a": {"n": 1}, "b": {"skipped": "nothing to do"}}
    assert queue.waiting(held) == []


def test_the_session_is_told_to_each_step(held):
    told = []
    script = Scripted(a=lambda place, session: told.append(session) or {})
    pipeline.run(held, put(held, session_id="s1", transcript_path="/t"), order=script.order)
    assert told == [Session("s1", "/t")]


def test_a_worker_goes_on_behind_the_last_step_that_was_noted(held):
    job = put(held)
    with pytest.raises(KeyboardInterrupt):
        pipeline.run(held, job, order=Scripted(a={}, b=KeyboardInterrupt()).order)
    script = Scripted(a={}, b={}, c={})
    assert pipeline.run(held, again(held), order=script.order) == "done"
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
    assert pipeline.run(held, put(held), order=script.order) == "resting"
    assert script.ran == ["a", "b", "c"]
    told = row(held)["report"]["b"]
    assert (told["code"], told["times"]) == (code, 1)
    assert str(error.args[0]) in told["failed"]
    clock.advance(minutes=10)
    mended = Scripted(a={}, b={"n": 2}, c={})
    assert pipeline.run(held, again(held), order=mended.order) == "done"
    assert mended.ran == ["b"]


def test_a_step_that_always_fails_is_given_up_and_can_be_seen(held, clock):
    put(held)
    ends = []
    for _ in range(queue.ATTEMPTS):
        ends.append(pipeline.run(held, again(held), order=Scripted(a=RuntimeError("broken")).order))
        clock.advance(days=1)
    assert ends == ["resting"] * 4 + ["given up"]
    with held.reading() as reader:
        [told] = reader.failed_jobs(limit=5)
    assert "broken" in told["report"]


def test_a_lost_lease_stops_the_job_at_once_and_notes_nothing(held):
    script = Scripted(a={}, b=LeaseLost("another"), c={})
    with pytest.raises(LeaseLost):
        pipeline.run(held, put(held), order=script.order)
    assert script.ran == ["a", "b"]
    assert list(row(held)["report"]) == ["a"]


def test_who_is_asked_to_stop_does_so_between_two_steps(held):
    script = Scripted(a={}, b={})
    assert (
        pipeline.run(held, put(held), order=script.order, stopping=lambda: bool(script.ran))
        == "stopped"
    )
    assert script.ran == ["a"]
    assert pipeline.run(held, again(held), order=script.order) == "done"
    assert script.ran == ["a", "b"]


def test_only_the_end_of_a_session_counts_as_one_and_only_once(held, clock):
    pipeline.run(held, put(held, "compacted", event="pre-compact"), order=[])
    pipeline.run(held, put(held, "ended"), order=Scripted(a=RuntimeError()).order)
    clock.advance(hours=1)
    pipeline.run(held, again(held, "ended"), order=[])
    with held.reading() as reader:
        assert reader.counter(SESSIONS) == 1


def test_a_job_that_was_begun_too_often_does_not_run_again(held):
    job = put(held)
    for _ in range(queue.BEGINNINGS):
        queue.begin(held, again(held))
    job = again(held)
    script = Scripted(a={})
    assert pipeline.run(held, job, order=script.order) == "given up"
    assert script.ran == []
