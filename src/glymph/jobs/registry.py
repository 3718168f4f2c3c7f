"""The registry of jobs: those in `glymph.jobs.builtin`, and the entry points of `glymph.jobs`."""

from __future__ import annotations

from collections.abc import Iterable

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint
from glymph.jobs.job import Job

JOBS = ExtensionPoint("glymph.jobs", Job, package="glymph.jobs.builtin", attribute="JOB")


def all_jobs() -> tuple[Job, ...]:
    """Returns every job, in the order in which those that are due at once run."""
    schedules: set[str] = set()
    for name, job in JOBS.members.items():
        if job.name != name:
            raise BadExtension(JOBS.group, name, f"its job is called {job.name!r}; call both alike")
        if job.schedule in schedules:
            raise BadExtension(JOBS.group, name, f"the schedule {job.schedule!r} is taken")
        schedules.add(job.schedule)
    return tuple(sorted(JOBS.members.values(), key=lambda job: (job.order, job.name)))


def jobs_on(event: str, jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Returns those of the jobs that run on an event."""
    return tuple(job for job in jobs if job.on == event)


def scheduled_jobs(jobs: Iterable[Job]) -> tuple[Job, ...]:
    """Returns those of the jobs that run at an interval."""
    return tuple(job for job in jobs if job.every is not None)
