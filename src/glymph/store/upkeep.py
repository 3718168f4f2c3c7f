"""Counters, schedules, queue, leases, ledger, transcripts and the cached digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from glymph.moments import EVER
from glymph.store.contract import Row
from glymph.store.statements import SpaceStatements


@dataclass(frozen=True, slots=True)
class Spent:
    """The cost of calls; those not yet settled count at the most they may cost."""

    usd: float
    tokens: int


class UpkeepReader(SpaceStatements):
    """The part of a reader about upkeep."""

    def counter(self, name: str) -> int | None:
        value: int | None = self._value("counter", name=name)
        return value

    def schedule(self, job: str) -> Row | None:
        return self._one("schedule", job=job)

    def schedules(self) -> list[Row]:
        return self._rows("schedules")

    def waiting_jobs(self, now: int) -> list[Row]:
        """Returns jobs that are neither done nor given up and do not rest, oldest first."""
        return self._rows("waiting_jobs", now=now)

    def queue_state(self, now: int) -> Row:
        """Returns how many jobs wait, and how many rest after a failure.

        Also returns since when the oldest waits.
        """
        return self._rows("queue_state", now=now)[0]

    def failed_jobs(self, *, limit: int) -> list[Row]:
        """Returns jobs that were given up, newest first."""
        return self._rows("failed_jobs", limit=limit)

    def job(self, job_id: str) -> Row | None:
        return self._one("job", id=job_id)

    def cut_off(self, actor: str, *, since: int) -> list[int]:
        """Returns the keys of an actor's operations begun after a moment that nobody closed."""
        return self._column("cut_off", actor=actor, since=since)

    def lease(self) -> Row | None:
        """Returns who works on the space, by which number, until when."""
        return self._one("lease")

    def spent_since(self, since: int, *, upto: int = EVER) -> Spent:
        """Returns what was spent after a moment, up to another."""
        return Spent(*self._tuples("spent", since=since, upto=upto)[0])

    def spent_by_store(self, since: int, *, upto: int = EVER) -> Spent:
        """Returns what all spaces of the store together have spent."""
        return Spent(*self._tuples("spent_by_store", since=since, upto=upto)[0])

    def spent_by(self, run: str) -> Spent:
        return Spent(*self._tuples("spent_by_run", run=run)[0])

    def calls(self, since: int, *, upto: int = EVER) -> list[Row]:
        """Returns every call after a moment, up to another, oldest first."""
        return self._rows("calls", since=since, upto=upto)

    def transcript(self, source: str) -> Row | None:
        """Returns how far a transcript was read, and how it began then."""
        return self._one("transcript", source=source)

    def surface(self, budget: int) -> Row | None:
        """Returns the digest kept for this budget.

        With the newest operation when it was made, and until when it holds.
        """
        return self._one("surface", budget=budget)

    def touched_since(self, keys: Sequence[int], since: int) -> set[int]:
        """Returns which memories somebody changed, used or brought back after a moment.

        Not those merely made or linked to others since. By number: what was done after the last
        operation of that moment counts, however a wrong clock dated it.
        """
        last = int(self._value("last_operation_at_or_before", at=since))
        return set(self._column("touched_since", keys=list(keys), operation=last))

    # what a wrong clock dated ahead

    def operations_ahead(self, at: int, operation: int) -> tuple[int, int | None, int | None, int]:
        """Returns how many operations after one are dated after a moment.

        With the first and last of their moments, and the newest of them.
        """
        count, first, last, newest = self._tuples("operations_ahead", at=at, operation=operation)[0]
        return count, first, last, newest

    def is_any_dated_between(self, after: int, upto: int) -> bool:
        """Tells whether an operation is dated after a moment and not after another."""
        return bool(self._value("dated_between", after=after, upto=upto))

    def next_operation_by(self, operation: int, upto: int) -> tuple[int, int] | None:
        """Returns the first operation after one that is dated by a moment: its key and moment."""
        found: Any = self._tuples("next_operation_by", operation=operation, upto=upto)
        return found[0] if found else None

    def rows_ahead(self, table: str, columns: Sequence[str], at: int) -> list[Row]:
        """Returns the rows of a journalled table of which one of these moments lies after `at`."""
        ahead = " OR ".join(f"{column} > :at" for column in columns)
        return self._session.rows(f"SELECT * FROM scoped_{table} WHERE {ahead}", {"at": at})

    def writers_of_rows(self, table: str, keys: Sequence[int]) -> dict[int, tuple[int, int]]:
        """Returns the first and the last operation that touched each of these rows."""
        found = self._tuples("writers_of_rows", tbl=table, keys=list(keys)) if keys else []
        return {key: (first, last) for key, first, last in found}

    def marks_ahead(self, at: int) -> int:
        """Returns how many counters and rests of jobs hold a moment later than this."""
        return int(self._value("marks_ahead", at=at))

    def newest_memory(self) -> int:
        """Returns the key of the memory that was added last; 0 if there is none."""
        return int(self._value("newest_memory"))

    def archived_by(self, verbs: Sequence[str], *, before: int, limit: int) -> list[Row]:
        """Returns what these verbs archived by a moment and nobody has used since, oldest first."""
        return self._rows("archived_by", verbs=list(verbs), before=before, limit=limit)


class UpkeepWriter(UpkeepReader):
    """The part of a writer about upkeep."""

    def set_counter(self, name: str, value: int) -> None:
        self._run("set_counter", name=name, value=value)

    def set_counter_to_newest(self, name: str) -> None:
        """Sets a counter to an upper bound of the keys of memories, see `highest_key`."""
        self._run("set_counter_to_newest", name=name)

    def set_schedule(
        self, job: str, *, due_at: int, last_run_at: int | None, outcome: str | None
    ) -> None:
        self._run(
            "set_schedule",
            job=job, due_at=due_at, last_run_at=last_run_at, outcome=outcome,
        )  # fmt: skip

    def enqueue(self, row: Row) -> None:
        """Puts a job last in the queue; one of the same id is there already, and stays as it is."""
        self._run("enqueue", **row)

    def enqueue_finished(self, row: Row) -> None:
        """Puts something into the queue that is done already, to be looked at later."""
        self._run("enqueue_finished", **row)

    def attempt(self, job_id: str) -> None:
        """Counts one more attempt at a job."""
        self._run("attempt_job", id=job_id)

    def advance(self, job_id: str, *, step: str, report: str) -> None:
        """Notes the last step of a job that is done, and what was reported so far."""
        self._run("advance_job", id=job_id, step=step, report=report)

    def rest(self, job_id: str, *, until: int) -> None:
        """Lets a job wait until a moment before it is tried again."""
        self._run("rest_job", id=job_id, until=until)

    def finish(self, job_id: str, *, at: int) -> None:
        self._run("finish_job", id=job_id, at=at)

    def give_up(self, job_id: str, *, at: int, report: str) -> None:
        self._run("give_up_job", id=job_id, at=at, report=report)

    def revive(self, job_id: str, *, report: str) -> None:
        """Lets a job that was given up be tried again."""
        self._run("revive_job", id=job_id, report=report)

    def drop_finished_jobs(self, before: int) -> None:
        self._run("drop_finished_jobs", before=before)

    def take_lease(self, holder: str, *, now: int, until: int) -> int | None:
        """Returns the number under which the holder may work on the space until then.

        None while somebody else may.
        """
        fence: int | None = self._value("take_lease", holder=holder, now=now, until=until)
        return fence

    def renew_lease(self, fence: int, *, until: int) -> bool:
        """Moves the end of a lease; False if it no longer stands."""
        return self._value("renew_lease", fence=fence, until=until) is not None

    def give_back_lease(self, fence: int) -> None:
        """Ends a lease, if it still stands."""
        self._run("give_back_lease", fence=fence)

    def reserve(self, row: Row) -> int:
        """Sets a call aside in the ledger at the most it may cost; returns its key."""
        return int(self._value("reserve", **row))

    def settle(
        self, key: int, *, tokens_in: int, tokens_out: int, cost_usd: float, outcome: str
    ) -> None:
        """Replaces what was set aside by what a call did cost; a settled call stays as it is."""
        self._run(
            "settle", key=key, tokens_in=tokens_in, tokens_out=tokens_out,
            cost_usd=cost_usd, outcome=outcome,
        )  # fmt: skip

    def set_transcript(self, source: str, *, head: str, offset: int, at: int) -> None:
        self._run("set_transcript", source=source, head=head, offset=offset, at=at)

    def keep_surface(self, budget: int, text: str, *, change: int, until: int) -> None:
        self._run("keep_surface", budget=budget, text=text, change=change, until=until)

    def set_back_marks(self, now: int, *, ahead: int) -> None:
        """Sets counters and rests of jobs that hold a moment later than `ahead` back to now."""
        self._run("set_back_counters", now=now, at=ahead)
        self._run("set_back_rests", now=now, at=ahead)

    def drop_surfaces(self) -> None:
        self._run("drop_surfaces")
