"""Idle clearance: low-value work in small batches while nobody recalls.

It stops when somebody does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import numpy as np

from glymph.context import Context
from glymph.errors import Refused
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune.garden import COMPARED_UPTO, GardenRun, ends_of, find_fading_links
from glymph.prune.marks import is_mergeable
from glymph.prune.merge_duplicates import FoundTwins, find_twins, why_not
from glymph.prune.results import Cleared
from glymph.store import columns
from glymph.store.arrays import Slots
from glymph.store.reader import Reader

QUIET = timedelta(minutes=10)
LINKS_AT_ONCE = 200
COMPARED_AT_ONCE = 16
CHANGE, CLEARED_AT = "idle_cleared_change", "idle_cleared_at"


def newest_recall(reader: Reader) -> int:
    """Returns the moment of the latest recall; 0 if there is none."""
    newest = reader.recalls(limit=1)
    return int(newest[0]["at"]) if newest else 0


def clear_idle(ctx: Context, *, now: datetime, agent_is_back: Callable[[], bool]) -> Cleared:
    """Drops faded links, merges new duplicates and keeps columns in order, if nobody recalls.

    Duplicates are looked for among what is new. `agent_is_back` is asked before each batch, which
    is one short transaction or one short look; the rest of the work waits for the next time and
    goes on where it stopped. What was done is one operation.
    """
    at = micros(now)
    with ctx.reading() as reader:
        why = _why_not_now(reader, at)
    if why is not None:
        return Cleared(False, why)
    work = _Clearing(ctx, at)
    with work.run:
        try:
            batches = work.batches()
            while not (yielded := agent_is_back()) and next(batches, None) is not None:
                work.done += 1
        except Refused:
            if not work.run.taken_back():
                raise
            yielded = True
    if not yielded:
        work.note_done()
    return work.describe(yielded)


def _why_not_now(reader: Reader, now: int) -> str | None:
    if 0 <= now - newest_recall(reader) < micros_of(QUIET):
        return f"somebody recalled less than {QUIET // timedelta(minutes=1)} minutes ago"
    last = reader.counter(CLEARED_AT)
    if (
        last is not None
        and 0 <= now - last < MICROS_PER_DAY
        and reader.counter(CHANGE) == reader.newest_change()
    ):
        return "nothing has changed since it was last cleared"
    return None


def micros_of(length: timedelta) -> int:
    return length // timedelta(microseconds=1)


class _Clearing:
    """One run: its batches, one after the other, and what they did."""

    def __init__(self, ctx: Context, now: int) -> None:
        self.ctx, self.now = ctx, now
        self.run = GardenRun(ctx, "cleared away while the agent was idle")
        self.done = self.chunks = 0

    def batches(self) -> Iterator[bool]:
        """Does a batch for each value asked for."""
        yield from self._drop_links()
        if why_not(self.ctx) is None:
            yield from self._merge_twins()
        self.chunks = columns.refresh(self.ctx.store, self.ctx.space)
        yield True

    def _drop_links(self) -> Iterator[bool]:
        with self.ctx.reading() as reader:
            held = columns.read(reader).columns
            going = ends_of(held, find_fading_links(reader, held, now=self.now))
        yield True
        for at in range(0, len(going), LINKS_AT_ONCE):
            self.run.drop(going[at : at + LINKS_AT_ONCE])
            yield True

    def _merge_twins(self) -> Iterator[bool]:
        """Compares what is new, a few memories at a time, and merges duplicates."""
        with self.ctx.reading() as reader:
            held = columns.read(reader).columns
            after = reader.counter(COMPARED_UPTO) or 0
        keys = held.memories["key"][is_mergeable(held, now=self.now)]
        waiting = np.sort(keys[keys > after]).tolist()
        for at in range(0, len(waiting), COMPARED_AT_ONCE):
            some = waiting[at : at + COMPARED_AT_ONCE]
            found = self._find_twins(some, keys)
            yield True
            for group in found.groups:
                self.run.join([group])
                yield True
            if self.run.held_back:
                return  # the cap bites: these have their turn tomorrow
            with self.ctx.store.writing(self.ctx.space, None) as writer:
                writer.set_counter(COMPARED_UPTO, max(some[-1], writer.counter(COMPARED_UPTO) or 0))

    def _find_twins(self, keys: list[int], among: Slots) -> FoundTwins:
        with self.ctx.reading() as reader:
            return find_twins(self.ctx, reader, keys, among, now=self.now)

    def note_done(self) -> None:
        with self.ctx.store.writing(self.ctx.space, None) as writer:
            writer.set_counter(CHANGE, writer.newest_change())
            writer.set_counter(CLEARED_AT, self.now)

    def describe(self, yielded: bool) -> Cleared:
        why = "the agent came back" if yielded else "nobody has recalled for a while"
        return Cleared(
            True,
            why,
            yielded=yielded,
            batches=self.done,
            links_dropped=sum(self.run.dropped.values()),
            merged=tuple(self.run.merged),
            chunks_written=self.chunks,
            operation_id=self.run.operation_id,
        )
