"""What is to be done in the spaces of a store, as the store itself says, and the doing of it, job
by job.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from glymph import telemetry
from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import GlymphError, InvalidInput, LeaseLost
from glymph.jobs import daemon, pipeline
from glymph.jobs.chores import Chore, chores
from glymph.jobs.queues.contract import HELD, LOST, NOTHING, STOPPED, Counts, DeadLetter, Ticket
from glymph.jobs.worker import SESSION
from glymph.moments import micros, moment
from glymph.upkeep import queue
from glymph.upkeep.leases import leased
from glymph.upkeep.queue import FAILED, TIMES

log = logging.getLogger("glymph.worker")

MOST = 1000  # dead letters of a space that are told


class Backlog:
    """The jobs of all spaces of a store. Whatever queue brings them to workers, they are found and
    done here.
    """

    def __init__(self, glymph: Glymph, order: Sequence[Chore] | None = None) -> None:
        self.glymph, self.order = glymph, tuple(order or chores())
        self._never = threading.Event()

    def check(self) -> None:
        """Nothing, if upkeep can be done in the store; else an error that says why not."""
        daemon.check(self.glymph, ())

    def places(self, stop: threading.Event | None = None) -> Iterator[Context]:
        return daemon.places(self.glymph, (), stop or self._never)

    def place(self, space: str, stop: threading.Event | None = None) -> Context:
        return daemon.place_in(self.glymph, space, stop or self._never)

    # looking

    def due(self, stop: threading.Event | None = None) -> Iterator[Ticket]:
        """What may run now: of each space the rows of its queue, oldest first, then the chores in
        their order.
        """
        stop = stop or self._never
        for space in self._to_look_at():
            if stop.is_set():
                return
            place = self.place(space, stop)
            try:
                yield from due_in(place, self.order)
            except GlymphError as error:  # a space that is gone, a long lock: the next look may do
                log.warning("space %s: %s", place.space, error)

    def _to_look_at(self) -> list[str]:
        """The spaces in which something may be due, by the store's own account: a look costs what
        is due.

        The first chore of a space is never farther off than the shortest interval, unless the clock
        was set back.
        """
        now = micros(self.glymph.context.now())
        beyond = now + min(one.interval for one in self.order)
        return self.glymph.context.store.due_spaces(now, beyond=beyond)

    def next_due(self) -> int | None:
        """The moment at which the next chore or resting job is due, in microseconds."""
        return self.glymph.context.store.next_due()

    def counts(self) -> Counts:
        waiting = running = resting = 0
        for place in self.places():
            now = micros(place.now())
            waiting += len(due_in(place, self.order))
            with place.reading() as reader:
                resting += reader.queue_state(now)["resting"]
                resting += sum(
                    0 < daemon.failures(row) < queue.ATTEMPTS and row["due_at"] > now
                    for row in reader.schedules()
                )
                lease = reader.lease()
            running += bool(lease and lease["until"] > now)
        return Counts(waiting, running, resting, len(self.dead()))

    def dead(self) -> list[DeadLetter]:
        return [letter for place in self.places() for letter in _dead_in(place)]

    # putting

    def put(self, space: str, chore: str) -> bool:
        if chore not in {one.name for one in self.order}:
            raise InvalidInput(
                "chore", f"no chore {chore!r}. There are {', '.join(c.name for c in self.order)}."
            )
        place = self.place(space)
        with place.store.writing(space, None) as writer:
            now, row = micros(place.now()), writer.schedule(chore)
            new = row is None or row["due_at"] > now
            # Also where it is due already: it may be under way, and who runs it sees that it was
            # asked for since.
            told = {"last_run_at": row["last_run_at"], "outcome": row["outcome"]} if row else {}
            writer.set_schedule(chore, due_at=now, **{"last_run_at": None, "outcome": None, **told})
        return new

    def put_session(self, space: str, row: str, payload: Mapping[str, Any]) -> bool:
        place = self.place(space)
        with place.reading() as reader:
            known = reader.job(row) is not None
        queue.enqueue(place, row, SESSION, payload)
        return not known

    def put_back(self, ticket_id: str) -> DeadLetter:
        """Lets a dead letter be due now, without the failures it had. What it had done stays done."""
        found = next((letter for letter in self.dead() if letter.ticket.id == ticket_id), None)
        if found is None:
            raise InvalidInput(
                "id", f"no dead letter {ticket_id!r}. `glymph worker --dead` lists them."
            )
        ticket = found.ticket
        place = self.place(ticket.space)
        with place.store.writing(ticket.space, None) as writer:
            if ticket.row:
                row = writer.job(ticket.row) or {}
                report = json.loads(row.get("report") or "{}")
                done = {step: told for step, told in report.items() if FAILED not in told}
                writer.revive(ticket.row, report=json.dumps(done))
            else:
                row = writer.schedule(ticket.name) or {}
                now = micros(place.now())
                writer.set_schedule(
                    ticket.name, due_at=now, last_run_at=row.get("last_run_at"), outcome=None
                )
        return found

    def begin(self) -> None:
        """Lets what never ran be due at once."""
        for place in self.places():
            daemon.begin_now(place, self.order)

    # doing

    def do(self, ticket: Ticket, stop: threading.Event) -> str:
        """Does a job that is due, under the lease of its space; how it ended. One that is not due
        is not done.
        """
        if stop.is_set():
            return STOPPED
        place = self.place(ticket.space, stop)
        if ticket not in due_in(place, self.order):
            return NOTHING
        try:
            with leased(place) as held:
                if held is None:
                    return HELD
                how = self._done(held, ticket, stop)
        except LeaseLost as error:
            log.warning("job %s: %s", ticket.id, error)
            return LOST
        log.info(
            "job %s: %s",
            ticket.id,
            how,
            extra={"space": ticket.space, "job": ticket.name, "ended": how},
        )
        return how

    def _done(self, held: Context, ticket: Ticket, stop: threading.Event) -> str:
        before = daemon.newest(held)
        how = _run_row(held, ticket, stop) if ticket.row else self._run_chore(held, ticket, stop)
        if daemon.newest(held) != before:
            for chore in self.order:
                if chore.after_changes and chore.name != ticket.name and not stop.is_set():
                    daemon.do(held, chore, daemon.schedule(held, self.order)[chore.name], stop)
        return how

    def _run_chore(self, held: Context, ticket: Ticket, stop: threading.Event) -> str:
        """Runs a chore if it is still due: somebody may have been at work before the lease was
        ours.
        """
        moments = daemon.schedule(held, self.order)
        if moments[ticket.name] > micros(held.now()):
            return NOTHING
        chore = next(one for one in self.order if one.name == ticket.name)
        return daemon.do(held, chore, moments[ticket.name], stop)


def due_in(ctx: Context, order: Sequence[Chore]) -> list[Ticket]:
    """What may run now in a space. Chores that are new to it are given their first moment."""
    moments, now = daemon.schedule(ctx, order), micros(ctx.now())
    rows = [Ticket(ctx.space, job.name, job.id) for job in queue.waiting(ctx)]
    return rows + [Ticket(ctx.space, one.name) for one in order if moments[one.name] <= now]


def _run_row(held: Context, ticket: Ticket, stop: threading.Event) -> str:
    for job in queue.waiting(held):
        if job.id == ticket.row:
            with telemetry.observe("job", job=job.name) as seen:
                how = pipeline.run(held, job, stopping=stop.is_set)
                seen.note(ended=how)
            return how
    return NOTHING


def _dead_in(ctx: Context) -> list[DeadLetter]:
    with ctx.reading() as reader:
        rows, schedules = reader.failed_jobs(limit=MOST), reader.schedules()
    found = []
    for row in rows:
        failed = {
            step: told for step, told in json.loads(row["report"] or "{}").items() if FAILED in told
        }
        why = "; ".join(f"{step}: {told[FAILED]}" for step, told in failed.items())
        times = max((told.get(TIMES, 1) for told in failed.values()), default=1)
        ticket = Ticket(ctx.space, row["job"], row["id"])
        found.append(DeadLetter(ticket, why, times, moment(row["failed_at"])))
    for row in schedules:
        if (times := daemon.failures(row)) >= queue.ATTEMPTS:
            why, at = json.loads(row["outcome"])[FAILED], moment(row["last_run_at"])
            found.append(DeadLetter(Ticket(ctx.space, row["job"]), str(why), times, at))
    return found
