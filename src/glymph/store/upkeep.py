"""What upkeep keeps: counters, schedules, queue, ledger, how far transcripts were read, the cached
digest.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from glymph.store.running import RunsStatements
from glymph.store.session import Row


@dataclass(frozen=True, slots=True)
class Spent:
    """What calls have cost, those that are set aside and not yet settled at their dearest."""

    usd: float
    tokens: int


class UpkeepReader(Protocol):
    def counter(self, name: str) -> int | None: ...
    def schedule(self, job: str) -> Row | None: ...
    def schedules(self) -> list[Row]: ...
    def waiting_jobs(self, now: int) -> list[Row]:
        """Jobs that are neither done nor given up and do not rest, oldest first."""
        ...

    def queue_state(self, now: int) -> Row:
        """How many jobs wait, how many of them rest after a failure, and since when the oldest
        does.
        """
        ...

    def failed_jobs(self, *, limit: int) -> list[Row]:
        """Jobs that were given up, newest first."""
        ...

    def job(self, job_id: str) -> Row | None: ...
    def cut_off(self, actor: str, *, since: int) -> list[int]:
        """The keys of an actor's operations in several transactions, begun after a moment, that
        nobody closed.
        """
        ...

    def lease(self) -> Row | None:
        """Who works on the space, by which number, until when."""
        ...

    def spent(self, since: int) -> Spent:
        """What was spent after a moment."""
        ...

    def spent_by(self, run: str) -> Spent: ...
    def calls(self, since: int) -> list[Row]:
        """Every call after a moment, oldest first."""
        ...

    def transcript(self, source: str) -> Row | None:
        """How far a transcript was read, and how it began then."""
        ...

    def surface(self, budget: int) -> Row | None:
        """The digest kept for this budget, the newest operation when it was made, and until when it
        holds.
        """
        ...

    def touched_since(self, keys: Sequence[int], since: int) -> set[int]:
        """Which of these memories somebody changed, used or brought back after a moment; not those
        merely made or linked to others since."""
        ...

    def newest_memory(self) -> int:
        """The key of the memory that was added last; 0 if there is none."""
        ...

    def archived_by(self, verbs: Sequence[str], *, before: int, limit: int) -> list[Row]:
        """What these verbs archived not after a moment and nobody has used since, the first
        archived first.
        """
        ...


class UpkeepWriter(Protocol):
    def set_counter(self, name: str, value: int) -> None: ...
    def set_schedule(
        self, job: str, *, due_at: int, last_run_at: int | None, outcome: str | None
    ) -> None: ...
    def enqueue(self, row: Row) -> None:
        """Puts a job last in the queue; one of the same id is there already, and stays as it is."""
        ...

    def attempt(self, job_id: str) -> None:
        """Counts one more attempt at a job."""
        ...

    def advance(self, job_id: str, *, step: str, report: str) -> None:
        """Notes the last step of a job that is done, and what was reported so far."""
        ...

    def rest(self, job_id: str, *, until: int) -> None:
        """Lets a job wait until a moment before it is tried again."""
        ...

    def done(self, job_id: str, *, at: int) -> None: ...
    def give_up(self, job_id: str, *, at: int, report: str) -> None: ...
    def revive(self, job_id: str, *, report: str) -> None:
        """Lets a job that was given up be tried again."""
        ...

    def drop_finished_jobs(self, before: int) -> None: ...
    def take_lease(self, holder: str, *, now: int, until: int) -> int | None:
        """The number under which the holder may work on the space until then; None while somebody
        else may.
        """
        ...

    def renew_lease(self, fence: int, *, until: int) -> bool:
        """Whether the lease of this number still stands; its end is moved. `until` in the past
        gives it back.
        """
        ...

    def reserve(self, row: Row) -> int:
        """Sets a call aside in the ledger before it is made, at the most it may cost; its key."""
        ...

    def settle(
        self, key: int, *, tokens_in: int, tokens_out: int, cost_usd: float, outcome: str
    ) -> None:
        """Puts what a call did cost in the place of what was set aside; a settled call stays as it
        is.
        """
        ...

    def set_transcript(self, source: str, *, head: str, offset: int, at: int) -> None: ...
    def keep_surface(self, budget: int, text: str, *, change: int, until: int) -> None: ...
    def drop_surfaces(self) -> None: ...


class SqlUpkeep(RunsStatements):
    """The reader's part in SQL."""

    @property
    @abstractmethod
    def space_key(self) -> int: ...

    def counter(self, name: str) -> int | None:
        value: int | None = self._value("counter", name=name)
        return value

    def schedule(self, job: str) -> Row | None:
        return self._one("schedule", job=job)

    def schedules(self) -> list[Row]:
        return self._rows("schedules")

    def waiting_jobs(self, now: int) -> list[Row]:
        return self._rows("waiting_jobs", now=now)

    def queue_state(self, now: int) -> Row:
        return self._rows("queue_state", now=now)[0]

    def failed_jobs(self, *, limit: int) -> list[Row]:
        return self._rows("failed_jobs", limit=limit)

    def job(self, job_id: str) -> Row | None:
        return self._one("job", id=job_id)

    def cut_off(self, actor: str, *, since: int) -> list[int]:
        return [key for (key,) in self._tuples("cut_off", actor=actor, since=since)]

    def lease(self) -> Row | None:
        return self._one("lease", space_id=self.space_key)

    def spent(self, since: int) -> Spent:
        return Spent(*self._tuples("spent", since=since)[0])

    def spent_by(self, run: str) -> Spent:
        return Spent(*self._tuples("spent_by_run", run=run)[0])

    def calls(self, since: int) -> list[Row]:
        return self._rows("calls", since=since)

    def transcript(self, source: str) -> Row | None:
        return self._one("transcript", source=source)

    def surface(self, budget: int) -> Row | None:
        return self._one("surface", space_id=self.space_key, budget=budget)

    def touched_since(self, keys: Sequence[int], since: int) -> set[int]:
        return {
            key
            for (key,) in self._tuples("touched_since", keys=json.dumps(list(keys)), since=since)
        }

    def newest_memory(self) -> int:
        return int(self._value("newest_memory"))

    def archived_by(self, verbs: Sequence[str], *, before: int, limit: int) -> list[Row]:
        return self._rows("archived_by", verbs=json.dumps(list(verbs)), before=before, limit=limit)


class SqlUpkeepWriting(SqlUpkeep):
    """The writer's part in SQL."""

    _space_id: int

    def set_counter(self, name: str, value: int) -> None:
        self._rows("set_counter", space_id=self._space_id, name=name, value=value)

    def set_schedule(
        self, job: str, *, due_at: int, last_run_at: int | None, outcome: str | None
    ) -> None:
        self._rows(
            "set_schedule",
            space_id=self._space_id, job=job, due_at=due_at, last_run_at=last_run_at, outcome=outcome,
        )  # fmt: skip

    def enqueue(self, row: Mapping[str, Any]) -> None:
        self._rows("enqueue", space_id=self._space_id, **row)

    def attempt(self, job_id: str) -> None:
        self._rows("attempt_job", space_id=self._space_id, id=job_id)

    def advance(self, job_id: str, *, step: str, report: str) -> None:
        self._rows("advance_job", space_id=self._space_id, id=job_id, step=step, report=report)

    def rest(self, job_id: str, *, until: int) -> None:
        self._rows("rest_job", space_id=self._space_id, id=job_id, until=until)

    def done(self, job_id: str, *, at: int) -> None:
        self._rows("finish_job", space_id=self._space_id, id=job_id, at=at)

    def give_up(self, job_id: str, *, at: int, report: str) -> None:
        self._rows("give_up_job", space_id=self._space_id, id=job_id, at=at, report=report)

    def revive(self, job_id: str, *, report: str) -> None:
        self._rows("revive_job", space_id=self._space_id, id=job_id, report=report)

    def drop_finished_jobs(self, before: int) -> None:
        self._rows("drop_finished_jobs", space_id=self._space_id, before=before)

    def take_lease(self, holder: str, *, now: int, until: int) -> int | None:
        fence: int | None = self._value(
            "take_lease", space_id=self._space_id, holder=holder, now=now, until=until
        )
        return fence

    def renew_lease(self, fence: int, *, until: int) -> bool:
        return (
            self._value("renew_lease", space_id=self._space_id, fence=fence, until=until)
            is not None
        )

    def reserve(self, row: Mapping[str, Any]) -> int:
        return int(self._value("reserve", space_id=self._space_id, **row))

    def settle(
        self, key: int, *, tokens_in: int, tokens_out: int, cost_usd: float, outcome: str
    ) -> None:
        self._rows(
            "settle", space_id=self._space_id, key=key, tokens_in=tokens_in, tokens_out=tokens_out,
            cost_usd=cost_usd, outcome=outcome,
        )  # fmt: skip

    def set_transcript(self, source: str, *, head: str, offset: int, at: int) -> None:
        self._rows(
            "set_transcript",
            space_id=self._space_id,
            source=source,
            head=head,
            offset=offset,
            at=at,
        )

    def keep_surface(self, budget: int, text: str, *, change: int, until: int) -> None:
        self._rows(
            "keep_surface",
            space_id=self._space_id,
            budget=budget,
            text=text,
            change=change,
            until=until,
        )

    def drop_surfaces(self) -> None:
        self._rows("drop_surfaces", space_id=self._space_id)
