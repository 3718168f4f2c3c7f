"""The queue of a space: jobs are put in once, go on where they stopped, and are given up after some
attempts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from glymph.context import Context
from glymph.moments import micros, moment
from glymph.store.contract import Row
from glymph.store.writer import Writer

ATTEMPTS = 5  # that failed, before a job is given up
BEGINNINGS = 100  # of a job whose workers never came to its end: it is what ends them
RESTS = (
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=6),
    timedelta(hours=24),
)  # after each attempt
KEPT = timedelta(days=30)  # how long finished jobs can be looked at

FAILED, TIMES = (
    "failed",
    "times",
)  # the keys under which a report says why a step failed, and how often it did
ENDED = "every worker that began it was ended before it came to its end; look at what it was doing, and at its log"


@dataclass(frozen=True, slots=True)
class Job:
    """A job that waits. `report` says for each step that ran what it did, or why it failed."""

    id: str
    name: str
    payload: Mapping[str, Any]
    enqueued_at: datetime
    attempts: int
    step: str | None
    report: dict[str, Any] = field(default_factory=dict)

    def has_done(self, step: str) -> bool:
        return step in self.report and FAILED not in self.report[step]

    def failed(self, step: str, why: str, code: str) -> None:
        """Puts into the report that a step failed once more."""
        times = self.report.get(step, {}).get(TIMES, 0) + 1
        self.report[step] = {FAILED: why, "code": code, TIMES: times}

    @property
    def failures(self) -> int:
        """How often the step has failed that failed most often; 0 if every one that ran is done."""
        return max(
            (told.get(TIMES, 1) for told in self.report.values() if FAILED in told), default=0
        )


def enqueue(ctx: Context, job_id: str, name: str, payload: Mapping[str, Any]) -> None:
    """Puts a job into the queue; one of the same id is there already and stays as it is."""
    row = {"id": job_id, "job": name, "payload": json.dumps(dict(payload)), "at": micros(ctx.now())}
    with ctx.store.writing(ctx.space, None) as writer:
        writer.enqueue(row)


def waiting(ctx: Context) -> list[Job]:
    """Jobs that may run now, oldest first."""
    with ctx.reading() as reader:
        return [_job(row) for row in reader.waiting_jobs(micros(ctx.now()))]


def begin(ctx: Context, job: Job, also: Callable[[Writer], None] | None = None) -> bool:
    """Counts a beginning; the first one does something more, in the same transaction: so it is done
    once.

    False if the job was begun too often without coming to an end. It is given up.
    """
    with ctx.store.writing(ctx.space, None) as writer:
        if job.attempts - job.failures >= BEGINNINGS:
            job.failed(job.step or job.name, ENDED, "Ended")
            writer.give_up(job.id, at=micros(ctx.now()), report=json.dumps(job.report))
            return False
        writer.attempt(job.id)
        if job.attempts == 0 and also is not None:
            also(writer)
        return True


def advance(ctx: Context, job: Job, step: str) -> None:
    """Notes that a step was run, and its report."""
    with ctx.store.writing(ctx.space, None) as writer:
        writer.advance(job.id, step=step, report=json.dumps(job.report))


def finish(ctx: Context, job: Job) -> str:
    """Ends an attempt: done, or to be tried again after a rest, or given up. Gives back which."""
    now = ctx.now()
    with ctx.store.writing(ctx.space, None) as writer:
        if not job.failures:
            writer.done(job.id, at=micros(now))
            writer.drop_finished_jobs(micros(now - KEPT))
            return "done"
        if job.failures >= ATTEMPTS:
            writer.give_up(job.id, at=micros(now), report=json.dumps(job.report))
            return "given up"
        writer.rest(job.id, until=micros(now + RESTS[job.failures - 1]))
        return "resting"


def _job(row: Row) -> Job:
    return Job(
        id=row["id"],
        name=row["job"],
        payload=json.loads(row["payload"]),
        enqueued_at=moment(row["enqueued_at"]),
        attempts=row["attempts"],
        step=row["step"],
        report=json.loads(row["report"] or "{}"),
    )
