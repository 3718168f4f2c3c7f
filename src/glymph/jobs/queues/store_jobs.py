"""Finds what is due in the spaces of a store, as the store itself says, and runs it."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import GlymphError, InvalidInput
from glymph.jobs import registry
from glymph.jobs.contexts import context_in, contexts_of, require_writable
from glymph.jobs.job import FAILED, Job
from glymph.jobs.queues.contract import NOTHING, STOPPED, Counts, DeadLetter, Ticket
from glymph.jobs.registry import scheduled_jobs
from glymph.jobs.runner import DONE, run_due
from glymph.jobs.schedule import (
    count_failures,
    find_due,
    mark_as_due,
    mark_new_as_due,
    shortest_interval,
)
from glymph.jobs.worker import SESSION
from glymph.moments import micros, moment
from glymph.upkeep import queue
from glymph.upkeep.queue import TIMES

log = logging.getLogger("glymph.worker")

MOST = 1000  # dead letters of a space that are listed


class StoreJobs:
    """The jobs of all spaces of a store.

    Whatever queue brings them to workers, they are found and run here.
    """

    def __init__(self, glymph: Glymph, jobs: Sequence[Job] | None = None) -> None:
        self.glymph = glymph
        self.jobs = registry.all_jobs() if jobs is None else tuple(jobs)
        self._never = threading.Event()

    @property
    def scheduled_jobs(self) -> tuple[Job, ...]:
        return scheduled_jobs(self.jobs)

    def check(self) -> None:
        """Raises unless the store can be maintained."""
        require_writable(self.glymph)

    def contexts(self) -> Iterator[Context]:
        return contexts_of(self.glymph, (), self._never)

    def context_in(self, space: str, stop: threading.Event | None = None) -> Context:
        return context_in(self.glymph, space, stop or self._never)

    # looking

    def find_due(self, stop: threading.Event | None = None) -> Iterator[Ticket]:
        """Yields what may run now: of each space what waits in its queue, then its due jobs."""
        stop = stop or self._never
        for space in self._find_due_spaces():
            if stop.is_set():
                return
            try:
                yield from self.find_due_in(space, stop)
            except GlymphError as error:  # a space that is gone, a long lock: the next look may do
                log.warning("space %s: %s", space, error)

    def find_due_in(self, space: str, stop: threading.Event | None = None) -> list[Ticket]:
        """Returns what may run now in a space. Jobs new to it are given their first moment."""
        return find_due(self.context_in(space, stop), self.jobs)

    def _find_due_spaces(self) -> list[str]:
        """Returns the spaces in which something may be due: a look costs what is due.

        The first job of a space is never farther off than the shortest interval, unless the clock
        was set back.
        """
        ctx = self.glymph.context
        now = micros(ctx.now())
        return ctx.store.due_spaces(now, beyond=now + shortest_interval(ctx, self.jobs))

    def next_due(self) -> int | None:
        """Returns when the next scheduled or resting job is due, in microseconds."""
        return self.glymph.context.store.next_due()

    def counts(self) -> Counts:
        waiting = running = resting = 0
        for ctx in self.contexts():
            now = micros(ctx.now())
            waiting += len(find_due(ctx, self.jobs))
            with ctx.reading() as reader:
                resting += reader.queue_state(now)["resting"]
                resting += sum(
                    0 < count_failures(row) < queue.ATTEMPTS and row["due_at"] > now
                    for row in reader.schedules()
                )
                lease = reader.lease()
            running += bool(lease and lease["until"] > now)
        return Counts(waiting, running, resting, len(self.dead()))

    def dead(self) -> list[DeadLetter]:
        return [letter for ctx in self.contexts() for letter in _find_dead(ctx)]

    # putting

    def put(self, space: str, job: str) -> bool:
        known = [one.schedule for one in self.scheduled_jobs]
        if job not in known:
            raise InvalidInput("job", f"no job {job!r}. There are {', '.join(known)}.")
        return mark_as_due(self.context_in(space), job)

    def put_session(self, space: str, row: str, payload: Mapping[str, Any]) -> bool:
        ctx = self.context_in(space)
        with ctx.reading() as reader:
            known = reader.job(row) is not None
        queue.enqueue(ctx, row, SESSION, payload)
        return not known

    def put_back(self, ticket_id: str) -> DeadLetter:
        """Marks a dead letter as due now, without its failures; what it had done stays done."""
        found = next((letter for letter in self.dead() if letter.ticket.id == ticket_id), None)
        if found is None:
            raise InvalidInput(
                "id", f"no dead letter {ticket_id!r}. `glymph sleep worker --dead` lists them."
            )
        ticket = found.ticket
        ctx = self.context_in(ticket.space)
        with ctx.store.writing(ticket.space, None) as writer:
            if ticket.row:
                row = writer.job(ticket.row) or {}
                report = json.loads(row.get("report") or "{}")
                done = {job: told for job, told in report.items() if FAILED not in told}
                writer.revive(ticket.row, report=json.dumps(done))
            else:
                row = writer.schedule(ticket.name) or {}
                ran_at, now = row.get("last_run_at"), micros(ctx.now())
                writer.set_schedule(ticket.name, due_at=now, last_run_at=ran_at, outcome=None)
        return found

    def mark_new_as_due(self) -> None:
        """Marks the jobs that never ran as due now."""
        for ctx in self.contexts():
            mark_new_as_due(ctx, self.jobs)

    # running

    def run(self, ticket: Ticket, stop: threading.Event) -> str:
        """Runs a job that is due, under the lease of its space; returns how it ended.

        One that is not due is not run.
        """
        if stop.is_set():
            return STOPPED
        ctx = self.context_in(ticket.space, stop)
        if ticket not in find_due(ctx, self.jobs):
            return NOTHING
        ended = {ticket: NOTHING}
        how = run_due(ctx, self.jobs, stop, only=ticket, note=ended.__setitem__)
        if how == DONE:
            how = ended[ticket]
            told = {"space": ticket.space, "job": ticket.name, "ended": how}
            log.info("job %s: %s", ticket.id, how, extra=told)
        return how


def _find_dead(ctx: Context) -> list[DeadLetter]:
    with ctx.reading() as reader:
        rows, schedules = reader.failed_jobs(limit=MOST), reader.schedules()
        found = []
        for row in rows:
            reports = json.loads(row["report"] or "{}")
            failed = {job: told for job, told in reports.items() if FAILED in told}
            why = "; ".join(f"{job}: {told[FAILED]}" for job, told in failed.items())
            times = max((told.get(TIMES, 1) for told in failed.values()), default=1)
            ticket = Ticket(ctx.space, row["job"], row["id"])
            found.append(DeadLetter(ticket, why, times, moment(row["failed_at"])))
        for row in schedules:
            if (times := count_failures(row)) >= queue.ATTEMPTS:
                why, at = json.loads(row["outcome"])[FAILED], moment(row["last_run_at"])
                found.append(DeadLetter(Ticket(ctx.space, row["job"]), str(why), times, at))
        return found
