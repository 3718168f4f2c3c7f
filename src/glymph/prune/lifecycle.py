"""Lifecycle: archives faded memories, later moves them to the trash, and purges expired trash.

Nobody reviews these runs, so each step has its own reason, a cap, and a way back. A memory takes at
most one step in a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from glymph.context import Context, OpenOperation
from glymph.forget.trash import empty, trash
from glymph.model import State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune.allowance import allowance
from glymph.prune.fading_alerts import find_fading_in
from glymph.prune.lifecycle_select import (
    ARCHIVE_DAYS,
    TRASH_VERB,
    VERB,
    Choice,
    find_archivable,
    find_trashable,
    trash_allowance,
)
from glymph.prune.results import LifecycleRun, Moved
from glymph.prune.retention import parse_retention
from glymph.prune.schedule import lifecycle_due
from glymph.store import columns, guards
from glymph.store.contract import Row
from glymph.store.reader import Reader
from glymph.write.clocks import date_anew_if_sure

AT_ONCE = 500  # memories moved in one transaction
LAST_RUN, NEWEST = "last_lifecycle_at", "newest_memory_at_last_lifecycle"
LAST_READ, LAST_PURGE = "lifecycle_read_at", "last_trash_purge_at"
# What costs most; a run that was asked for does it at once.
READ_EVERY = PURGE_EVERY = MICROS_PER_DAY


def lifecycle(ctx: Context, *, if_needed: bool = False, dry_run: bool = False) -> LifecycleRun:
    """Archives what has come to rest, and clears the archive and the trash of old memories.

    What unattended runs archived long ago is trashed, and expired trash is purged. With `if_needed`
    it runs when it never ran, when memories were added since, or after `lifecycle_hours`, and reads
    texts and empties the trash once a day. A dry run tells what would be done, and writes nothing.
    """
    retention = parse_retention(ctx.settings.retention)
    now = micros(ctx.now())
    if not dry_run:
        date_anew_if_sure(ctx)
    with ctx.reading() as reader:
        due = _why_due(ctx, reader, now) if if_needed else "it was asked for"
        if due is None:
            return LifecycleRun(
                False,
                f"nothing was added and less than {ctx.settings.lifecycle_hours:g} hours have "
                "passed since the last run",
            )
        newest = reader.newest_memory()
        reading = columns.read(reader)
        texts = not if_needed or _has_passed(reader, LAST_READ, READ_EVERY, now)
        purges = not if_needed or _has_passed(reader, LAST_PURGE, PURGE_EVERY, now)
        to_archive = find_archivable(ctx, reader, reading.columns, retention, now=now, texts=texts)
        to_trash = find_trashable(ctx, reader, retention, now=now)
        weak = find_fading_in(reader, reading.columns, now)
    expired = sum(one.expired for one in trash(ctx)) if purges else 0
    run = _describe_run(due, to_archive, to_trash, purged=expired, dry_run=dry_run, fading=weak)
    if dry_run:
        return run
    if to_archive.grader is not None:
        to_archive.grader.keep()
    moves = _Moves()
    moves.move(ctx, VERB, State.ARCHIVED, to_archive, lambda reader: allowance(ctx, reader))
    moves.move(
        ctx, TRASH_VERB, State.TRASHED, to_trash, lambda reader: trash_allowance(ctx, reader)
    )
    purged = len(empty(ctx).succeeded) if expired else 0
    if texts:
        to_archive.counters[LAST_READ] = now
    if purged:
        to_archive.counters[LAST_PURGE] = now
    if reading.worth_keeping:
        columns.keep(ctx.store, reading)
    with ctx.store.writing(ctx.space, None) as writer:
        for name, value in {**to_archive.counters, NEWEST: newest, LAST_RUN: now}.items():
            writer.set_counter(name, value)
    return moves.finish(ctx, run, purged)


def _has_passed(reader: Reader, counter: str, time: int, now: int) -> bool:
    last = reader.counter(counter)
    return last is None or not 0 <= now - last < time


def _why_due(ctx: Context, reader: Reader, now: int) -> str | None:
    seen = reader.counter(NEWEST)
    added = seen is None or reader.newest_memory() > seen
    return lifecycle_due(
        last_at=reader.counter(LAST_RUN),
        added_since=added,
        now=now,
        hours=ctx.settings.lifecycle_hours,
    )


# moving


@dataclass(slots=True)
class _Moves:
    """The moves that a run has carried out so far."""

    moved: dict[str, list[Moved]] = field(default_factory=dict)
    operations: list[str] = field(default_factory=list)

    def move(
        self, ctx: Context, verb: str, goal: State, choice: Choice, allowed: Callable[[Reader], int]
    ) -> None:
        """Moves what was chosen and has not changed since, in one operation that undoes as one."""
        rows = choice.moving
        parts = [rows[at : at + AT_ONCE] for at in range(0, len(rows), AT_ONCE)]
        if len(parts) > 1:
            with ctx.bulk(verb, reason=_REASON[verb]) as parent:
                for part in parts:
                    self._move(ctx, verb, goal, part, choice, allowed, parent)
            with ctx.reading() as reader:
                row = reader.operation_by_key(parent) or {}
            self.operations.append(row["id"])
        elif parts:
            self.operations.append(self._move(ctx, verb, goal, parts[0], choice, allowed, None))

    def _move(
        self, ctx: Context, verb: str, goal: State, rows: Sequence[Row], choice: Choice,
        allowed: Callable[[Reader], int], parent: int | None,
    ) -> str:  # fmt: skip
        with ctx.operation(verb, reason=_REASON[verb], parent=parent) as op:
            moving = _find_unchanged(op, rows, goal)[: allowed(op.writer)]
            keys = [row["key"] for row in moving]
            if goal is State.ARCHIVED and keys:
                kept = guards.last_evidence(keys, op.writer.resting_on(keys, guards.EVIDENCE))
                moving = [row for row in moving if row["key"] not in kept]
            op.writer.set_state([row["key"] for row in moving], state=goal, at=op.now, by=verb)
            op.succeeded += [row["id"] for row in moving]
            op.reasons |= {row["id"]: choice.reasons[row["key"]] for row in moving}
        told = [
            Moved(row["id"], row["title"], row["kind"], choice.reasons[row["key"]])
            for row in moving
        ]
        self.moved.setdefault(verb, []).extend(told)
        return op.intent.id

    def finish(self, ctx: Context, planned: LifecycleRun, purged: int) -> LifecycleRun:
        """Returns the run as it went."""
        trashed = tuple(self.moved.get(TRASH_VERB, ()))
        return replace(
            planned,
            archived=tuple(self.moved.get(VERB, ())),
            trashed=trashed,
            purged=purged,
            operation_ids=tuple(self.operations),
            recoverable_until=ctx.trash_ends(micros(ctx.now())) if trashed else None,
        )


_REASON = {
    VERB: "faded, untouched, and each for its own reason",
    TRASH_VERB: f"archived by upkeep for {ARCHIVE_DAYS} days without use",
}


def _find_unchanged(op: OpenOperation, rows: Sequence[Row], goal: State) -> list[Row]:
    """Returns those that nobody has changed or used since they were chosen."""
    now = op.writer.standing_of([row["id"] for row in rows])
    return [
        row
        for row in rows
        if (one := now.get(row["id"])) is not None
        and guards.find_obstacle(one, goal) is None
        and (one["version"], one["last_used_at"]) == (row["version"], row["last_used_at"])
    ]


def _describe_run(why: str, to_archive: Choice, to_trash: Choice, **told: object) -> LifecycleRun:
    """Returns what a run is about to do."""
    moved = [
        tuple(
            Moved(row["id"], row["title"], row["kind"], choice.reasons[row["key"]])
            for row in choice.moving
        )
        for choice in (to_archive, to_trash)
    ]
    return LifecycleRun(
        True, why, archived=moved[0], trashed=moved[1],
        waiting=to_archive.waiting, held_back=to_archive.held_back,
        trash_held_back=to_trash.held_back,
        cap=to_archive.cap, kept_central=to_archive.central,
        kept_as_evidence=to_archive.evidence + to_trash.evidence, unread=to_archive.unread,
        kept_as_vital=to_archive.vital,
        **told,  # type: ignore[arg-type]
    )  # fmt: skip
