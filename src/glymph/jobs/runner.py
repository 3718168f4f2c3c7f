"""The runner: runs jobs in a space under its lease, and notes what each did.

The daemon, the worker that hooks start and the workers of queues all run jobs here. No two of them
ever work on one space at once.
"""

from __future__ import annotations

import logging
import threading
import time
import traceback
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from glymph import telemetry
from glymph.context import Context
from glymph.errors import GlymphError, LeaseLost, StoreAway
from glymph.jobs.job import FAILED, SESSION_END, SKIPPED, STOPPED, Job, Session, Trigger
from glymph.jobs.registry import jobs_on, scheduled_jobs
from glymph.jobs.schedule import Ticket, look, note_run, read_schedule
from glymph.moments import micros
from glymph.prune.ai_prune import count_session
from glymph.text.secrets import masked_in
from glymph.upkeep import queue
from glymph.upkeep.leases import hold_lease
from glymph.upkeep.queue import QueueItem

log = logging.getLogger("glymph.jobs")

# How a run in a space ended: to its end, not begun because somebody else is at work, or cut off
# because somebody else has taken the lease over.
DONE, HELD, LOST = queue.DONE, "held", "lost"
ENDS_SESSION = "session-end"  # the hook that counts as a session; a compacted session goes on

Note = Callable[[Ticket, str], object]


def run_waiting(ctx: Context, jobs: Iterable[Job], stop: threading.Event, note: Note) -> str:
    """Runs what waits in the queue of a space, oldest first; returns DONE, HELD or LOST.

    `note` is told how each ended.
    """
    jobs = tuple(jobs)

    def run(held: Context) -> None:
        _run_waiting(held, queue.find_waiting(held), jobs, stop, None, note)

    return _with_lease(ctx, run)


def run_due(
    ctx: Context,
    jobs: Iterable[Job],
    stop: threading.Event,
    *,
    only: Ticket | None = None,
    note: Note = lambda ticket, ended: None,
) -> str:
    """Runs what is due in a space; returns DONE, HELD or LOST.

    First what waits in the queue, then the scheduled jobs in their order, and last those that
    follow changes, if something has changed. `note` is told how each ended.
    """
    jobs = tuple(jobs)

    def run(held: Context) -> None:
        seen = look(held, jobs)
        waited = _run_waiting(held, seen.waiting, jobs, stop, only, note)
        moments = read_schedule(held, jobs) if waited else seen.moments
        ran = _run_scheduled(held, moments, jobs, stop, only, note)
        if (waited or ran) and newest_change(held) != seen.newest_change:
            _run_followers(held, jobs, stop, ran)

    return _with_lease(ctx, run)


def _with_lease(ctx: Context, run: Callable[[Context], None]) -> str:
    try:
        with hold_lease(ctx) as held:
            if held is None:
                log.info("space %s: somebody else is at work there", ctx.space)
                return HELD
            run(held)
    except LeaseLost as error:
        log.warning("space %s: %s", ctx.space, error)
        return LOST
    return DONE


def _run_waiting(
    ctx: Context, waiting: Iterable[QueueItem], jobs: Iterable[Job], stop: threading.Event,
    only: Ticket | None, note: Note,
) -> bool:  # fmt: skip
    """Runs what waited in the queue; returns False if none of it was to run."""
    ran = False
    for item in waiting:
        ticket = Ticket(ctx.space, item.name, item.id)
        if only in (None, ticket) and not stop.is_set():
            ran = True
            note(ticket, run_item(ctx, item, jobs, stop))
    return ran


def _run_scheduled(
    ctx: Context, moments: Mapping[str, int], jobs: Iterable[Job], stop: threading.Event,
    only: Ticket | None, note: Note,
) -> list[Job]:  # fmt: skip
    """Runs the scheduled jobs that are due, and returns them."""
    scheduled, ran = scheduled_jobs(jobs), []
    for job in scheduled:
        ticket, due_at = Ticket(ctx.space, job.schedule), moments[job.schedule]
        # Somebody else may have run it before the lease was ours.
        is_due = only in (None, ticket) and due_at <= micros(ctx.now())
        if is_due and not stop.is_set():
            ran.append(job)
            note(ticket, run_scheduled(ctx, job, due_at, stop))
    return ran


def _run_followers(
    ctx: Context, jobs: Iterable[Job], stop: threading.Event, ran: Container[Job]
) -> None:
    """Runs the scheduled jobs that follow changes, unless they ran just now."""
    scheduled = scheduled_jobs(jobs)
    for job in scheduled:
        if job.after_changes and job not in ran and not stop.is_set():
            due_at = read_schedule(ctx, scheduled)[job.schedule]
            run_scheduled(ctx, job, due_at, stop)


def newest_change(ctx: Context) -> int:
    with ctx.reading() as reader:
        return reader.newest_change()


def run_item(
    ctx: Context, item: QueueItem, jobs: Iterable[Job], stop: threading.Event | None = None
) -> str:
    """Runs the jobs of an ended session that are not done yet; returns how it ended.

    `ctx` must be under a lease. A job that fails is named in the report and does not keep the
    others from running: what the agent sees next must not be worse for it. It is tried again after
    a rest. Each is noted when it is done, so another worker can go on behind it; one that had
    nothing to do, along with the next, and the last with the end.
    """
    stop = stop or threading.Event()
    with telemetry.observe("job", job=item.name) as seen:
        ended = _run_item(ctx, item, jobs_on(SESSION_END, jobs), stop)
        seen.note(ended=ended)
    log.info("space %s: %s %s %s", ctx.space, item.name, item.id, ended)
    return ended


def _run_item(ctx: Context, item: QueueItem, jobs: Iterable[Job], stop: threading.Event) -> str:
    ends_session = item.payload.get("event") == ENDS_SESSION
    if not queue.begin(ctx, item, count_session if ends_session else None):
        return queue.GIVEN_UP
    session = Session(item.payload.get("session_id"), item.payload.get("transcript_path"))
    todo = [job for job in jobs if not item.has_done(job.name)]
    for job in todo:
        if stop.is_set():
            return STOPPED
        report = _attempt(ctx, job, Trigger(session, stop))
        if STOPPED in report:
            return STOPPED
        item.note(job.name, report)
        if SKIPPED not in report and job is not todo[-1]:
            queue.advance(ctx, item, job.name)
    return queue.finish(ctx, item)


def run_scheduled(ctx: Context, job: Job, due_at: int, stop: threading.Event) -> str:
    """Runs a scheduled job and keeps what it did, and when it is due again; returns how it ended.

    `ctx` must be under a lease. A job that was stopped stays due.
    """
    began, started = micros(ctx.now()), time.perf_counter()
    with telemetry.observe("job", job=job.schedule) as seen:
        report = _attempt(ctx, job, Trigger(stop=stop))
        ended = next((how for how in (FAILED, SKIPPED, STOPPED) if how in report), DONE)
        seen.note(ended=ended)
    ms = round((time.perf_counter() - started) * 1000, 1)
    told = {"space": ctx.space, "job": job.schedule, "ended": ended, "ms": ms}
    log.info("space %s: %s %s", ctx.space, job.schedule, ended, extra=told)
    if ended == STOPPED:
        return ended
    return note_run(ctx, job, report, began=began, due_at=due_at) or ended


def _attempt(ctx: Context, job: Job, trigger: Trigger) -> dict[str, Any]:
    """Returns the report of a job, without secrets; anything that goes wrong becomes one.

    A job that fails while it is to stop was called off: it counts as stopped.
    """
    # A failure must reach the span of its step before it becomes a report.
    step = telemetry.observe("step", step=job.name) if trigger.session else nullcontext()
    try:
        with step:
            report = dict(masked_in(dict(job.run(ctx, trigger))))
    except (LeaseLost, StoreAway):  # no failure of the job, which waits until the store is back
        raise
    except GlymphError as error:
        report = {FAILED: masked_in(str(error)), "code": error.code}
        log.warning("space %s: %s failed: %s", ctx.space, job.name, report[FAILED])
    except Exception as error:  # noqa: BLE001  it is logged, masked
        trace = masked_in(traceback.format_exc())
        log.error("space %s: %s failed\n%s", ctx.space, job.name, trace)
        why = masked_in(f"{type(error).__name__}: {error}")[:500]
        report = {FAILED: why, "code": "Bug"}
    return {STOPPED: True} if FAILED in report and trigger.stop.is_set() else report
