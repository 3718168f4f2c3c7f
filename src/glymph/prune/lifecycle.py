"""Lifecycle: what has faded goes to the archive, what lay there long enough to the trash, what
expired there ends.

Nobody reviews these runs, so each step has its own reason, a cap, and a way back; nothing takes two
in one run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from glymph.context import Context, Operating
from glymph.decay.sections import SECTIONS, Section
from glymph.forget.trash import empty, trash
from glymph.model import State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune.allowance import allowance
from glymph.prune.dormancy import UNTOUCHED_DAYS, Resting, is_expired, resting
from glymph.prune.fading import fading_among
from glymph.prune.lifecycle_result import LifecycleRun, Moved
from glymph.prune.outcomes import outcome_bearing
from glymph.prune.retention import parsed_retention
from glymph.prune.schedule import lifecycle_due
from glymph.prune.second_reasons import EVERY_LIVE, Second, second_reasons
from glymph.store import columns, guards, records
from glymph.store.arrays import Columns, Flags, Slots
from glymph.store.contract import Reader, Row

VERB, TRASH_VERB = "lifecycle", "lifecycle_trash"
OWN = (VERB, "ai_prune")  # verbs whose archive may move on to the trash
ARCHIVE_DAYS = 30  # without use, before it does
AT_ONCE = 500  # memories moved in one transaction
READ = 300  # memories of knowledge whose texts a run looks at
EPISODES = 2_000  # episodes of which a run looks up whether they had an outcome
LAST_RUN, NEWEST = "last_lifecycle_at", "newest_memory_at_last_lifecycle"
CONSOLIDATED = "last_consolidation_at"
LAST_READ, LAST_PURGE = "lifecycle_read_at", "last_trash_purge_at"
READ_EVERY = PURGE_EVERY = (
    MICROS_PER_DAY  # what costs most; a run that was asked for does it at once
)
TEXT_TURN, EPISODE_TURN = (
    "lifecycle_read_up_to",
    "lifecycle_episodes_up_to",
)  # where the next run goes on


@dataclass(slots=True)
class Choice:
    """What is to move, in this order, why, and why the rest stays."""

    moving: list[Row] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)  # by key
    cap: int = 0
    held_back: int = 0
    waiting: int = 0
    central: int = 0
    evidence: int = 0
    unread: int = 0
    counters: dict[str, int] = field(default_factory=dict)  # to be set when the run is over


def lifecycle(ctx: Context, *, if_needed: bool = False, dry_run: bool = False) -> LifecycleRun:
    """Archives what has come to rest, trashes what unattended runs archived long ago, purges
    expired trash.

    With `if_needed` it runs when it never ran, when memories were added since, or after two hours,
    and reads texts and empties the trash once a day. A dry run tells what would be done, and writes
    nothing.
    """
    retention = parsed_retention(ctx.settings.retention)
    now = micros(ctx.now())
    with ctx.reading() as reader:
        due = _due(reader, now) if if_needed else "it was asked for"
        if due is None:
            return LifecycleRun(
                False, "nothing was added and less than two hours have passed since the last run"
            )
        newest = reader.newest_memory()
        reading = columns.read(reader)
        texts = not if_needed or _passed(reader, LAST_READ, READ_EVERY, now)
        purges = not if_needed or _passed(reader, LAST_PURGE, PURGE_EVERY, now)
        going = _archivable(ctx, reader, reading.columns, retention, now, texts=texts)
        leaving = _trashable(ctx, reader, retention, now)
        weak = fading_among(reader, reading.columns, now)
    expired = sum(one.expired for one in trash(ctx)) if purges else 0
    run = _told(due, going, leaving, purged=expired, dry_run=dry_run, fading=weak)
    if dry_run:
        return run
    done = _Done()
    done.move(ctx, VERB, State.ARCHIVED, going, lambda reader: allowance(ctx, reader))
    done.move(ctx, TRASH_VERB, State.TRASHED, leaving, lambda reader: _trash_allowance(ctx, reader))
    purged = len(empty(ctx).succeeded) if expired else 0
    if texts:
        going.counters[LAST_READ] = now
    if purged:
        going.counters[LAST_PURGE] = now
    if reading.worth_keeping:
        columns.keep(ctx.store, reading)
    with ctx.store.writing(ctx.space, None) as writer:
        for name, value in {**going.counters, NEWEST: newest, LAST_RUN: now}.items():
            writer.set_counter(name, value)
    return done.told(ctx, run, purged)


def _passed(reader: Reader, counter: str, time: int, now: int) -> bool:
    last = reader.counter(counter)
    return last is None or not 0 <= now - last < time


def _due(reader: Reader, now: int) -> str | None:
    seen = reader.counter(NEWEST)
    added = seen is None or reader.newest_memory() > seen
    return lifecycle_due(last_at=reader.counter(LAST_RUN), added_since=added, now=now)


# what goes to the archive


def _archivable(
    ctx: Context,
    reader: Reader,
    held: Columns,
    retention: Mapping[str, int],
    now: int,
    *,
    texts: bool,
) -> Choice:
    before = now - UNTOUCHED_DAYS * MICROS_PER_DAY
    changed = reader.changed_memories(reader.last_operation_at_or_before(before))
    touched = reader.touched_since(changed, before)  # a link made or dropped by upkeep is no touch
    found = resting(held, curves=reader.curves(), now=now, touched=touched)
    choice = Choice(cap=allowance(ctx, reader), central=found.central)
    if not len(found.slots):
        return choice
    instead: dict[int, int] = {}
    allowed = np.zeros(len(found.slots), dtype=np.bool_)
    for flags, why in _by_figures(held, found, retention, now):
        _allow(choice, found, flags & ~allowed, why)
        allowed |= flags
    allowed |= _learnt_from(reader, held, found, choice)
    left = ~found.source & ~allowed
    choice.unread = int(np.count_nonzero(left))
    for key, second in (
        _by_text(ctx, reader, held, found.keys[left], choice, now) if texts else {}
    ).items():
        choice.reasons[key] = second.why
        if second.instead is not None:
            instead[key] = second.instead
    order = [int(key) for key in found.keys if int(key) in choice.reasons]
    keys = _first(reader, choice, _while_others_stay(order, instead))
    rows = reader.by_key(keys, EVERY_LIVE)
    choice.moving = [rows[key] for key in keys if key in rows]
    choice.reasons = _sentences(found, {key: choice.reasons[key] for key in keys})
    return choice


def _sentences(found: Resting, reasons: Mapping[int, str]) -> dict[int, str]:
    """The whole reason of each memory: how far it has faded, and the second one."""
    figures = zip(
        found.keys.tolist(), found.retrievability.tolist(), found.days.tolist(), strict=True
    )
    faded = {
        key: f"dormant (retrievability {value:.2f}) and unused for {days:.0f} days"
        for key, value, days in figures
        if key in reasons
    }
    return {key: f"{faded[key]}; {why}" if why else faded[key] for key, why in reasons.items()}


def _allow(choice: Choice, found: Resting, flags: Flags, why: str) -> None:
    choice.reasons |= dict.fromkeys(found.keys[flags].tolist(), why)


def _by_figures(
    held: Columns, found: Resting, retention: Mapping[str, int], now: int
) -> list[tuple[Flags, str]]:
    """The second reasons that need no text, each with those of the target sections it holds for."""
    target, memories = ~found.source, held.memories
    kept = np.array([retention.get(kind, np.inf) for kind in held.kinds] or [np.inf])[
        memories["kind"][found.slots]
    ]
    age = (now - memories["created_at"][found.slots]) / MICROS_PER_DAY
    return [
        (target & is_expired(held, now)[found.slots], "it has expired"),
        (target & memories["superseded"][found.slots], "a newer statement has replaced it"),
        (target & (age >= kept), "it is past the retention of its kind"),
    ]


def _learnt_from(reader: Reader, held: Columns, found: Resting, choice: Choice) -> Flags:
    """The episodes and signals that may go: those before the last consolidation, and those without
    an outcome.
    """
    last = reader.counter(CONSOLIDATED)
    created = held.memories["created_at"][found.slots]
    seen = (
        found.source & (created < last)
        if last is not None
        else np.zeros(len(created), dtype=np.bool_)
    )
    _allow(choice, found, seen, "")
    some = _turn(reader, choice, EPISODE_TURN, found.keys[found.source & ~seen], EPISODES)
    for key, row in reader.by_key(some, EVERY_LIVE).items():
        if outcome_bearing(records.attributes(row)):
            choice.waiting += 1
        else:
            choice.reasons[key] = ""
    return found.source


def _by_text(
    ctx: Context, reader: Reader, held: Columns, keys: Slots, choice: Choice, now: int
) -> dict[int, Second]:
    """The second reasons that stand in the texts of some of these."""
    if not choice.cap:
        return {}
    some = _turn(reader, choice, TEXT_TURN, keys, READ)
    choice.unread -= len(some)
    return second_reasons(ctx, reader, held, some, now=now)


def _turn(reader: Reader, choice: Choice, counter: str, keys: Slots, most: int) -> list[int]:
    """As many of the keys as a run looks at, from where the last one ended, so that every one has
    its turn.
    """
    own = np.sort(keys)
    if len(own) <= most:
        return [int(key) for key in own]
    at = int(np.searchsorted(own, reader.counter(counter) or 0, side="right"))
    some = [int(key) for key in np.roll(own, -at)[:most]]
    choice.counters[counter] = some[-1]
    return some


def _while_others_stay(order: Sequence[int], instead: Mapping[int, int]) -> list[int]:
    """Without those that another memory says as well which goes, too: one of them stays until the
    next run.
    """
    going = set(order)
    return [key for key in order if instead.get(key) not in going]


def _first(reader: Reader, choice: Choice, order: Sequence[int]) -> list[int]:
    """The first that may go under the cap, without leaving anything that rests on them without
    evidence.
    """
    kept: set[int] = set()
    while True:
        left = [key for key in order if key not in kept]
        going = left[: choice.cap]
        needed = (
            guards.last_evidence(going, reader.resting_on(going, guards.EVIDENCE)) if going else {}
        )
        if not needed:
            choice.evidence, choice.held_back = len(kept), len(left) - len(going)
            return going
        kept |= needed.keys()


# what goes to the trash


def _trash_allowance(ctx: Context, reader: Reader) -> int:
    most = guards.cap(
        reader.live_count(), percent=ctx.settings.prune_percent, most=ctx.settings.prune_most
    )
    return max(0, most - reader.changed_by(TRASH_VERB, micros(ctx.now()) - MICROS_PER_DAY))


def _trashable(ctx: Context, reader: Reader, retention: Mapping[str, int], now: int) -> Choice:
    """What unattended runs archived and nobody has used or changed for 30 days, and on which
    nothing rests.
    """
    before = now - ARCHIVE_DAYS * MICROS_PER_DAY
    choice = Choice(cap=_trash_allowance(ctx, reader))
    due: dict[int, Row] = {}
    limit = read = 2 * AT_ONCE
    while read == limit and len(due) <= choice.cap:
        limit *= 4
        rows = reader.archived_by(OWN, before=before, limit=limit)
        read = len(rows)
        due = {row["key"]: row for row in rows if _may_be_trashed(row, retention, now)}
        touched = reader.touched_since(list(due), before)
        needed = _evidence(reader, due)
        choice.evidence = len(needed)
        due = {key: row for key, row in due.items() if key not in touched and key not in needed}
    choice.moving = list(due.values())[: choice.cap]
    choice.held_back = len(due) - len(choice.moving)
    choice.reasons = {
        row[
            "key"
        ]: f"archived by {row['state_by']} {(now - row['state_at']) / MICROS_PER_DAY:.0f} days ago "
        "and not used since"
        for row in choice.moving
    }
    return choice


def _may_be_trashed(row: Row, retention: Mapping[str, int], now: int) -> bool:
    if guards.standing(row, State.TRASHED) is not None:
        return False
    if SECTIONS[Section(row["section"])].role == "source":
        return True
    days = retention.get(row["kind"])
    return days is not None and now - row["created_at"] >= days * MICROS_PER_DAY


def _evidence(reader: Reader, rows: Mapping[int, Row]) -> set[int]:
    """Those of the memories on which a live one rests."""
    edges = [
        (a, b)
        for a, b, kind, *_ in reader.edges_touching(list(rows))
        if kind in guards.EVIDENCE and b in rows
    ]
    live = reader.by_key({source for source, _ in edges}, EVERY_LIVE)
    return {target for source, target in edges if source in live}


# moving


@dataclass(slots=True)
class _Done:
    """What was carried out."""

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
            moving = _still_so(op, rows, goal)[: allowed(op.writer)]
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

    def told(self, ctx: Context, planned: LifecycleRun, purged: int) -> LifecycleRun:
        """The run as it went."""
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


def _still_so(op: Operating, rows: Sequence[Row], goal: State) -> list[Row]:
    """Those that nobody has changed or used since they were chosen."""
    now = op.writer.standing([row["id"] for row in rows])
    return [
        row
        for row in rows
        if (one := now.get(row["id"])) is not None
        and guards.standing(one, goal) is None
        and (one["version"], one["last_used_at"]) == (row["version"], row["last_used_at"])
    ]


def _told(why: str, going: Choice, leaving: Choice, **told: object) -> LifecycleRun:
    """What a run is about to do."""
    moved = [
        tuple(
            Moved(row["id"], row["title"], row["kind"], choice.reasons[row["key"]])
            for row in choice.moving
        )
        for choice in (going, leaving)
    ]
    return LifecycleRun(
        True, why, archived=moved[0], trashed=moved[1],
        waiting=going.waiting, held_back=going.held_back, trash_held_back=leaving.held_back, cap=going.cap,
        kept_central=going.central, kept_as_evidence=going.evidence + leaving.evidence, unread=going.unread,
        **told,  # type: ignore[arg-type]
    )  # fmt: skip
