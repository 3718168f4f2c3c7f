"""When jobs are due in a space, as its store keeps it.

A restart neither forgets nor repeats a job, and any number of daemons and workers agree.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple

from glymph.context import Context
from glymph.jobs.job import FAILED, Job
from glymph.jobs.registry import scheduled_jobs
from glymph.moments import micros
from glymph.prune.schedule import due, jitter, next_due
from glymph.store import foresight
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.store.writer import Writer
from glymph.upkeep import queue
from glymph.upkeep.queue import QueueItem

REST = timedelta(minutes=1)  # after the first failure; four times as long after each further one
UNKNOWN_AFTER = timedelta(hours=1)  # nobody ran it in that time: its package is gone
UNKNOWN_AGAIN = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Ticket:
    """Something to be done in a space: a scheduled job, or what waits in its queue."""

    space: str
    name: str  # of the schedule, or of the kind of row in the queue
    row: str = ""  # the row's id

    @property
    def id(self) -> str:
        return "/".join(part for part in (self.space, self.name, self.row) if part)


class Look(NamedTuple):
    """What there is to do in a space at one moment."""

    waiting: list[QueueItem]
    moments: dict[str, int]  # when each scheduled job is due; see `read_schedule`
    newest_change: int


def look(ctx: Context, jobs: Iterable[Job]) -> Look:
    """Returns what there is to do; over a server it is asked in one round trip."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        reader.foresee(
            foresight.schedules(), foresight.waiting_jobs(now), foresight.newest_change()
        )
        kept, waiting = _read_kept(reader), queue.read_waiting(reader, now)
        newest = reader.newest_change()
    return Look(waiting, _complete(ctx, jobs, kept, now), newest)


def find_due(ctx: Context, jobs: Iterable[Job]) -> list[Ticket]:
    """Returns what may run now: what waits in the queue, oldest first, then jobs in their order."""
    jobs = scheduled_jobs(jobs)
    waiting, moments, _ = look(ctx, jobs)
    now = micros(ctx.now())
    rows = [Ticket(ctx.space, item.name, item.id) for item in waiting]
    due_now = (job.schedule for job in jobs if moments[job.schedule] <= now)
    return rows + [Ticket(ctx.space, name) for name in due_now]


def read_schedule(ctx: Context, jobs: Iterable[Job]) -> dict[str, int]:
    """Returns when each of all scheduled jobs is due, in microseconds.

    A job that is new to the space, or was kept under another clock, is written down first. What
    belongs to no job any more is put off, so that it does not keep the space due for ever.
    """
    now = micros(ctx.now())
    with ctx.reading() as reader:
        kept = _read_kept(reader)
    return _complete(ctx, jobs, kept, now)


def _read_kept(reader: Reader) -> dict[str, int]:
    return {row["job"]: row["due_at"] for row in reader.schedules()}


def _complete(
    ctx: Context, jobs: Iterable[Job], kept: Mapping[str, int], now: int
) -> dict[str, int]:
    """Returns the moments of all scheduled jobs, having written down what is not as it must be."""
    wanted = {
        job.schedule: _moment(ctx, job, kept.get(job.schedule), now) for job in scheduled_jobs(jobs)
    }
    late = now - _micros(UNKNOWN_AFTER)
    unknown = [name for name, due_at in kept.items() if name not in wanted and due_at < late]
    wanted |= dict.fromkeys(unknown, now + _micros(UNKNOWN_AGAIN))
    new = {name: due_at for name, due_at in wanted.items() if kept.get(name) != due_at}
    if not new:
        return wanted
    with ctx.store.writing(ctx.space, None) as writer:
        for name, due_at in new.items():
            row = writer.schedule(name)
            if (row["due_at"] if row else None) == kept.get(name):
                _set_due(writer, name, due_at, row)
            elif row:
                wanted[name] = row["due_at"]  # another daemon was first
    return wanted


def mark_new_as_due(ctx: Context, jobs: Iterable[Job]) -> None:
    """Marks the jobs that never ran as due now."""
    now = micros(ctx.now())
    with ctx.store.writing(ctx.space, None) as writer:
        ran = {row["job"] for row in writer.schedules() if row["last_run_at"] is not None}
        for job in scheduled_jobs(jobs):
            if job.schedule not in ran:
                _set_due(writer, job.schedule, now, None)


def mark_as_due(ctx: Context, name: str) -> bool:
    """Marks a scheduled job as due now; returns False if it already is.

    It is written also then: the job may be under way, and who runs it sees that it was asked for.
    """
    with ctx.store.writing(ctx.space, None) as writer:
        now, row = micros(ctx.now()), writer.schedule(name)
        _set_due(writer, name, now, row)
    return row is None or row["due_at"] > now


def note_run(
    ctx: Context, job: Job, report: dict[str, Any], *, began: int, due_at: int
) -> str | None:
    """Keeps what a job did and when it is due again; returns how a failed one goes on.

    One that failed is tried again after a rest, which grows; when it has failed too often it is
    given up until its next interval, and counts as a dead letter until a run succeeds.
    """
    ended = None
    with ctx.store.writing(ctx.space, None) as writer:
        # Read after the wait for the write lock, in which somebody may have asked for the job.
        now, kept = micros(ctx.now()), writer.schedule(job.schedule)
        again = next_due(due_at, _micros(job.interval(ctx.settings)), now)
        if kept and kept["due_at"] != due_at and began <= kept["due_at"] <= now:
            again = min(again, kept["due_at"])  # somebody asked for it while it ran
        if FAILED in report:
            times = report[queue.TIMES] = count_failures(kept) + 1
            ended = queue.GIVEN_UP if times >= queue.ATTEMPTS else queue.RESTING
            if ended == queue.RESTING:
                again = min(again, now + _micros(REST) * 4 ** (times - 1))
        outcome = json.dumps(report)
        writer.set_schedule(job.schedule, due_at=again, last_run_at=began, outcome=outcome)
    return ended


def count_failures(row: Mapping[str, Any] | None) -> int:
    """Returns how often in a row a job has failed, by its schedule."""
    report = json.loads(row["outcome"] or "{}") if row else {}
    return int(report.get(queue.TIMES, 1)) if FAILED in report else 0


def shortest_interval(ctx: Context, jobs: Iterable[Job]) -> int:
    """Returns the shortest interval of the scheduled jobs in microseconds."""
    lengths = [job.interval(ctx.settings) for job in scheduled_jobs(jobs)]
    return _micros(min(lengths, default=UNKNOWN_AGAIN))


def _moment(ctx: Context, job: Job, kept: int | None, now: int) -> int:
    length = _micros(job.interval(ctx.settings))
    return due(kept, length, now, jitter(ctx.space, job.schedule, length))


def _set_due(writer: Writer, name: str, due_at: int, row: Row | None) -> None:
    """Sets when a job is due; what is known of its last run stays."""
    ran_at, outcome = (row["last_run_at"], row["outcome"]) if row else (None, None)
    writer.set_schedule(name, due_at=due_at, last_run_at=ran_at, outcome=outcome)


def _micros(length: timedelta) -> int:
    return length // timedelta(microseconds=1)
