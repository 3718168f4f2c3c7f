"""The queue of a space: what is put in runs once, goes on where it stopped, and is given up after
some attempts.
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
from glymph.store.reader import Reader
from glymph.store.writer import Writer

ATTEMPTS = 5  # that failed, before an item is given up
BEGINNINGS = 100  # of an item whose workers never came to its end: it is what ends them
RESTS = tuple(timedelta(minutes=m) for m in (10, 60, 360, 1440))  # after each attempt that failed
KEPT = timedelta(days=30)  # how long finished items can be looked at

DONE, RESTING, GIVEN_UP = "done", "resting", "given up"  # how an attempt ends
FAILED, TIMES = "failed", "times"  # keys of a report: why a job failed, and how often it did
ENDED = (
    "every worker that began it was ended before it came to its end; look at what it was doing, "
    "and at its log"
)


@dataclass(slots=True)
class QueueItem:
    """What waits in the queue: an ended session, for which a row of jobs is to be run.

    `report` says for each job that ran what it did, or why it failed.
    """

    id: str
    name: str
    payload: Mapping[str, Any]
    enqueued_at: datetime
    attempts: int
    step: str | None  # the job that ran last
    report: dict[str, Any] = field(default_factory=dict)
    unnoted: str | None = None  # the job that ran last, if only this report says so

    def has_done(self, job: str) -> bool:
        return job in self.report and FAILED not in self.report[job]

    def note(self, job: str, report: Mapping[str, Any]) -> None:
        """Puts into the report what a job did; of one that failed, also how often by now."""
        noted = dict(report)
        if FAILED in noted:
            noted[TIMES] = self.report.get(job, {}).get(TIMES, 0) + 1
        self.report[job], self.unnoted = noted, job

    @property
    def failures(self) -> int:
        """How often the job has failed that failed most often; 0 if every one that ran is done."""
        failed = (told for told in self.report.values() if FAILED in told)
        return max((told.get(TIMES, 1) for told in failed), default=0)


def enqueue(ctx: Context, item_id: str, name: str, payload: Mapping[str, Any]) -> None:
    """Puts an item into the queue; one of the same id is there already and stays as it is."""
    body, now = json.dumps(dict(payload)), micros(ctx.now())
    with ctx.store.writing(ctx.space, None) as writer:
        writer.enqueue({"id": item_id, "job": name, "payload": body, "at": now})


def find_waiting(ctx: Context) -> list[QueueItem]:
    """Returns the items that may run now, oldest first."""
    with ctx.reading() as reader:
        return read_waiting(reader, micros(ctx.now()))


def read_waiting(reader: Reader, now: int) -> list[QueueItem]:
    return [_read_item(row) for row in reader.waiting_jobs(now)]


def begin(ctx: Context, item: QueueItem, also: Callable[[Writer], None] | None = None) -> bool:
    """Counts a beginning; returns False if the item was begun too often and is given up.

    The first beginning does `also` in the same transaction, so that is done once.
    """
    with ctx.store.writing(ctx.space, None) as writer:
        if item.attempts - item.failures >= BEGINNINGS:
            item.note(item.step or item.name, {FAILED: ENDED, "code": "Ended"})
            writer.give_up(item.id, at=micros(ctx.now()), report=json.dumps(item.report))
            return False
        writer.attempt(item.id)
        if item.attempts == 0 and also is not None:
            also(writer)
        return True


def advance(ctx: Context, item: QueueItem, job: str) -> None:
    """Notes that a job was run, and the reports so far."""
    with ctx.store.writing(ctx.space, None) as writer:
        _advance(writer, item, job)


def _advance(writer: Writer, item: QueueItem, job: str) -> None:
    writer.advance(item.id, step=job, report=json.dumps(item.report))
    item.unnoted = None


def finish(ctx: Context, item: QueueItem) -> str:
    """Ends an attempt; returns DONE, or RESTING before another attempt, or GIVEN_UP.

    What was not noted yet is, in the same transaction.
    """
    now = ctx.now()
    with ctx.store.writing(ctx.space, None) as writer:
        if item.unnoted is not None:
            _advance(writer, item, item.unnoted)
        if not item.failures:
            writer.finish(item.id, at=micros(now))
            writer.drop_finished_jobs(micros(now - KEPT))
            return DONE
        if item.failures >= ATTEMPTS:
            writer.give_up(item.id, at=micros(now), report=json.dumps(item.report))
            return GIVEN_UP
        writer.rest(item.id, until=micros(now + RESTS[item.failures - 1]))
        return RESTING


def _read_item(row: Row) -> QueueItem:
    return QueueItem(
        id=row["id"],
        name=row["job"],
        payload=json.loads(row["payload"]),
        enqueued_at=moment(row["enqueued_at"]),
        attempts=row["attempts"],
        step=row["step"],
        report=json.loads(row["report"] or "{}"),
    )
