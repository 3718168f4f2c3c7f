"""The status tells what upkeep did, what waits, what is left today, and what to do.

Looking changes nothing.
"""

from __future__ import annotations

import json
import threading

import pytest

from glymph import Glymph
from glymph.errors import EmbedderFailed
from glymph.jobs import daemon
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.moments import micros
from glymph.testing.embedders import WordEmbedder
from glymph.testing.scripted_model import ScriptedModel
from glymph.upkeep import queue
from glymph.upkeep.leases import hold_lease
from tests.grounds.reading import put_in_question


def status(glymph):
    return glymph.autonomous_status()


def job(glymph, name):
    return next(one for one in status(glymph).jobs if one.job == name)


def kept(glymph, name, outcome, *, due_in=3600):
    now = micros(glymph.context.now())
    with glymph.context.store.writing(glymph.space, None) as writer:
        writer.set_schedule(
            name, due_at=now + due_in * 1_000_000, last_run_at=now, outcome=json.dumps(outcome)
        )


def recommended(glymph, *words):
    return any(all(word in told for word in words) for told in status(glymph).recommendations)


def test_a_new_space_is_well_and_has_nothing_to_do(glymph):
    found = status(glymph)
    assert (found.health, found.recommendations) == ("ok", ())
    assert (found.queue.waiting, found.queue.failed, found.lock.state) == (0, 0, "free")
    assert (found.caps.unattended_left, found.caps.spend_left_usd) == (10, 1.0)
    assert found.counters == {
        "last_lifecycle_at": None, "last_ai_prune_at": None, "sessions_since_ai_prune": 0,
        "active_count_at_last_ai_prune": None,
    }  # fmt: skip


def test_every_job_of_the_daemon_has_its_last_run_its_next_and_its_outcome(glymph, clock):
    daemon.run_once(glymph, stop=threading.Event())
    clock.advance(days=1)
    daemon.run_once(glymph, stop=threading.Event())
    found = {one.job: one for one in status(glymph).jobs}
    assert set(found) == {one.schedule for one in scheduled_jobs(all_jobs())}
    assert all(one.last_run_at == clock() and one.next_due_at > clock() for one in found.values())
    assert (found["trash"].outcome, found["trash"].told) == ("done", "nothing to do")
    assert (found["embed"].outcome, found["embed"].told) == ("skipped", "skipped: no embedder")
    assert found["decay"].report["fading"] == []


def test_lifecycle_is_told_where_only_hooks_run_it(glymph, clock):
    glymph.lifecycle(if_needed=True)
    assert job(glymph, "lifecycle").last_run_at == clock()
    assert status(glymph).counters["last_lifecycle_at"] == clock()


def test_a_failed_job_makes_the_space_failing_and_names_the_command(glymph):
    kept(glymph, "lifecycle", {"failed": "The disk is full.", "code": "StoreError"})
    assert status(glymph).health == "failing"
    assert job(glymph, "lifecycle").told == "failed: The disk is full."
    assert recommended(glymph, "The disk is full", "`glymph sleep lifecycle --apply`")


def test_jobs_that_are_overdue_ask_for_a_daemon(glymph):
    kept(glymph, "decay", {"active": 1}, due_in=-3601)
    assert job(glymph, "decay").overdue
    assert status(glymph).health == "attention"
    assert recommended(glymph, "decay should have run", "`glymph sleep daemon`")


def test_jobs_that_wait_rest_or_were_given_up_are_told_with_their_reasons(glymph, clock):
    ctx = glymph.context
    queue.enqueue(ctx, "waits", "session", {})
    assert status(glymph).health == "ok"
    clock.advance(hours=2)
    assert recommended(glymph, "1 job waits", "`glymph sleep daemon --once`")
    with ctx.store.writing(glymph.space, None) as writer:
        writer.rest("waits", until=micros(clock()) + 1_000_000)
    assert (status(glymph).queue.waiting, status(glymph).queue.resting) == (1, 1)
    queue.enqueue(ctx, "lost", "session", {})
    with ctx.store.writing(glymph.space, None) as writer:
        report = json.dumps(
            {"extract": {"failed": "no such file", "code": "X"}, "embed": {"embedded": 2}}
        )
        writer.give_up("lost", at=micros(clock()), report=report)
    (given_up,) = status(glymph).queue.failures
    assert (given_up.id, given_up.reasons) == ("lost", {"extract": "no such file"})
    assert status(glymph).health == "failing"
    assert recommended(glymph, "1 job was given up (no such file)")


def test_the_lock_is_free_held_or_stale(glymph, clock):
    with hold_lease(glymph.context):
        assert status(glymph).lock.state == "held"
        assert ":" in status(glymph).lock.holder
    assert status(glymph).lock.state == "free"
    with glymph.context.store.writing(glymph.space, None) as writer:
        writer.take_lease("host:1", now=micros(clock()), until=micros(clock()) + 30_000_000)
    clock.advance(seconds=31)
    assert (status(glymph).lock.state, status(glymph).lock.holder) == ("stale", "host:1")
    clock.advance(days=-2)
    assert status(glymph).lock.state == "stale"


def test_the_backlog_counts_what_waits_and_says_how_to_end_it(url, clock):
    with Glymph.open(url, clock=clock, embedder="none") as first:
        older = first.add("The gate code is 1234.", kind="fact", pinned=True).id
        put_in_question(first, older, first.add("The gate code is now 4321.", kind="fact").id)
        gone = first.add("The nightly import fails on Mondays.", kind="lesson").id
        first.delete(gone)
        clock.advance(days=10)
    with Glymph.open(url, clock=clock, embedder=WordEmbedder()) as glymph:
        backlog = status(glymph).backlog
        assert (backlog.open_questions, backlog.in_trash, backlog.expired_trash) == (1, 1, 0)
        assert backlog.without_vectors == 2
        assert recommended(glymph, "2 memories wait for a vector", "`glymph sleep embed`")
        assert recommended(glymph, "1 question waits", "`glymph questions`")
        clock.advance(days=21)
        assert recommended(
            glymph, "1 memory is past the time", "`glymph memory trash empty --apply`"
        )


def test_an_embedder_that_cannot_be_used_is_told_with_its_reason(url, clock, monkeypatch):
    def fails(ctx):
        raise EmbedderFailed("words", "it does not answer", "Start it.")

    monkeypatch.setattr("glymph.upkeep.status.without_vectors", fails)
    with Glymph.open(url, clock=clock, embedder=WordEmbedder()) as glymph:
        assert status(glymph).health == "failing"
        assert status(glymph).backlog.without_vectors is None
        assert recommended(glymph, "it does not answer", "`glymph doctor`")


def test_an_allowance_that_is_used_up_is_told(glymph, monkeypatch):
    monkeypatch.setattr("glymph.upkeep.status.allowance", lambda ctx, reader: 0)
    assert status(glymph).health == "attention"
    assert recommended(glymph, "Unattended runs", "`glymph analyze`")


def test_a_budget_that_is_spent_is_told_only_where_there_is_a_model(url, clock):
    settings = {"spend_daily_usd": 0.0}
    with Glymph.open(url, clock=clock, settings=settings) as glymph:
        assert status(glymph).health == "ok"
    with Glymph.open(url, clock=clock, settings=settings, model=ScriptedModel([])) as glymph:
        assert recommended(glymph, "budget", "`glymph status costs`")
        assert job(glymph, "ai_prune").told.startswith("off: there were fewer than 50 recalls")
        with glymph.context.store.writing("default", None) as writer:
            writer.set_counter("recalls_ever", 50)
        assert job(glymph, "ai_prune").told == "waits for more sessions or memories"


def test_commands_for_another_space_name_it(url, clock):
    with Glymph.open(url, space="work", clock=clock) as glymph:
        kept(glymph, "lifecycle", {"failed": "x"})
        kept(glymph, "health", {"failed": "y"})
        assert recommended(glymph, "`glymph sleep lifecycle --apply --space work`")
        assert recommended(glymph, "`glymph doctor`")


@pytest.mark.parametrize("outcome", ["not json", '"a text"', "[1]"])
def test_an_outcome_of_another_make_is_told_as_it_is(glymph, outcome):
    with glymph.context.store.writing(glymph.space, None) as writer:
        writer.set_schedule("strange", due_at=2**50, last_run_at=1, outcome=outcome)
    assert job(glymph, "strange").outcome == "done"


def test_sizes_are_told_in_their_unit(glymph):
    kept(glymph, "health", {"live": 2, "store_mb": 0.6, "free_mb": 79_814})
    assert job(glymph, "health").told == "live 2, store 0.6 MB, free 79,814 MB"


def test_looking_changes_nothing(glymph):
    glymph.add("The nightly import fails on Mondays.", kind="lesson")
    before = list(glymph.context.store.dump(glymph.space))
    status(glymph)
    assert list(glymph.context.store.dump(glymph.space)) == before
