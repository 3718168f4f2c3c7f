"""The registry of jobs: built-in ones, those of other packages, and what cannot be a job."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

import glymph
from glymph import Glymph, Settings
from glymph.errors import BadExtension, InvalidInput
from glymph.extensions import ExtensionPoint
from glymph.jobs import builtin, registry
from glymph.jobs.job import SESSION_END, Job
from glymph.jobs.registry import all_jobs, jobs_on, scheduled_jobs
from glymph.moments import micros
from glymph.upkeep import queue
from tests.packages import install_entry_points

PACKAGE = """
from datetime import timedelta
from glymph.jobs.job import SESSION_END, Job

def greet(ctx, trigger):
    return {"hello": trigger.session.id}

def sweep(ctx, trigger):
    return {"swept": 3, "session": trigger.session is not None}

GREET = Job(name="acme_greet", on=SESSION_END, order=35, run=greet)
SWEEP = Job(name="acme_sweep", every=timedelta(hours=3), order=57, run=sweep)
"""
ENTRY_POINTS = {"acme_greet": "acme_jobs:GREET", "acme_sweep": "acme_jobs:SWEEP"}


@pytest.fixture
def installed(tmp_path):
    """Installs a package with two jobs for a process of its own; returns that one's environment."""
    site = tmp_path / "site"
    site.mkdir()
    install_entry_points(site, "glymph.jobs", **ENTRY_POINTS)
    (site / "acme_jobs.py").write_text(PACKAGE)
    paths = [str(Path(glymph.__file__).parents[1]), str(site)]
    home = {"GLYMPH_HOME": str(tmp_path / "home"), "PYTHONPATH": os.pathsep.join(paths)}
    return os.environ | home


def command(installed, *words):
    done = subprocess.run(
        [sys.executable, "-m", "glymph.cli.start", *words],
        env=installed, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("runs", [["daemon", "--once"], ["worker", "--once"]])
def test_a_job_of_another_package_runs_in_its_place_and_at_its_interval(installed, url, runs):
    with Glymph.open(url) as handle:
        payload = {"event": "session-end", "session_id": "s1"}
        queue.enqueue(handle.context, "ended", "session", payload)
    command(installed, *runs, "--url", url)
    with Glymph.open(url) as handle, handle.context.reading() as reader:
        report = json.loads(reader.job("ended")["report"])
    assert report["acme_greet"] == {"hello": "s1"}
    names = list(report)
    assert names[names.index("acme_greet") - 1 :][:3] == ["link", "acme_greet", "lifecycle"]
    shown = json.loads(command(installed, "status", "--json", "--url", url))
    told = next(job for job in shown["jobs"] if job["job"] == "acme_sweep")
    assert (told["outcome"], told["report"]) == ("done", {"swept": 3, "session": False})


def test_a_session_that_a_hook_spooled_runs_it_too(installed, url, tmp_path):
    from glymph.jobs import spool

    item = {"event": "session-end", "url": url, "space": "mine", "session_id": "s2"}
    job_id = spool.drop(tmp_path / "home" / "spool", item)
    done = subprocess.run(
        [sys.executable, "-m", "glymph.hooks.background"], env=installed, timeout=120, check=False
    )
    assert done.returncode == 0
    with Glymph.open(url, space="mine") as handle, handle.context.reading() as reader:
        assert json.loads(reader.job(job_id)["report"])["acme_greet"] == {"hello": "s2"}
        assert reader.schedule("acme_sweep") is None, "a hook's worker runs no scheduled jobs"


def test_what_an_uninstalled_package_left_does_not_count_as_overdue(glymph, clock):
    from glymph.jobs.queues.store_jobs import StoreJobs

    with glymph.context.store.writing("default", None) as writer:
        writer.set_schedule("acme_sweep", due_at=micros(clock()), last_run_at=None, outcome=None)
    store = StoreJobs(glymph)
    list(store.find_due())
    clock.advance(minutes=59)
    list(store.find_due())
    assert store.next_due() < micros(clock()), "another worker may know it"
    clock.advance(minutes=2)
    list(store.find_due())
    told = next(job for job in glymph.autonomous_status().jobs if job.job == "acme_sweep")
    assert (told.overdue, told.next_due_at) == (False, clock() + timedelta(days=1))


def test_schedules_keep_the_names_that_stores_know_them_by():
    assert {job.schedule for job in scheduled_jobs(all_jobs())} == {
        "ai_prune", "conflicts", "consolidation", "decay", "embed", "garden", "health", "idle",
        "journal", "lifecycle", "surface", "trash",
    }  # fmt: skip


def test_one_job_may_run_after_sessions_and_at_an_interval():
    both = {job.name for job in jobs_on(SESSION_END, all_jobs())}
    both &= {job.name for job in scheduled_jobs(all_jobs())}
    assert both == {"ai_prune", "consolidate", "embed", "lifecycle", "surface"}


def test_an_interval_may_be_a_setting():
    job = registry.JOBS.members["consolidate"]
    assert job.interval(Settings()) == timedelta(hours=24)
    assert job.interval(Settings(consolidation_hours=6)) == timedelta(hours=6)


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({}, "never runs"),
        ({"on": "sunday"}, "no event 'sunday'"),
        ({"every": "no_such_hours"}, "no setting"),
        ({"every": timedelta(0)}, "at least a second"),
    ],
)
def test_a_job_that_could_never_run_is_refused(wrong, problem):
    with pytest.raises(InvalidInput, match=problem):
        Job(name="mine", order=1, run=lambda ctx, trigger: {}, **wrong)


@pytest.mark.parametrize(
    ("value", "problem"),
    [("mine:LIFECYCLE", "call both alike"), ("mine:CLASH", "'consolidation' is taken")],
)
def test_a_job_under_a_wrong_or_taken_name_is_named(tmp_path, monkeypatch, value, problem):
    jobs = {
        "LIFECYCLE": registry.JOBS.members["lifecycle"],
        "CLASH": Job(
            name="mine", order=1, run=lambda ctx, trigger: {}, on=SESSION_END,
            scheduled_as="consolidation",
        ),
    }  # fmt: skip
    monkeypatch.setitem(sys.modules, "mine", type("mine", (), jobs))
    monkeypatch.syspath_prepend(install_entry_points(tmp_path, "glymph.jobs", mine=value))
    point = ExtensionPoint("glymph.jobs", Job, package="glymph.jobs.builtin", attribute="JOB")
    monkeypatch.setattr(registry, "JOBS", point)
    with pytest.raises(BadExtension, match=problem):
        all_jobs()


def test_the_docs_of_the_built_in_jobs_tell_the_order_at_the_end_of_a_session():
    order = [job.name for job in jobs_on(SESSION_END, all_jobs())]
    assert " → ".join(order) in (builtin.__doc__ or "")
