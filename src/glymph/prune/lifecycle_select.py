"""The choices of a lifecycle run: what goes into the archive, and what into the trash.

The rules choose for the archive; after 30 days there a memory may go into the trash.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from glymph.context import Context
from glymph.decay.sections import SECTIONS, Section
from glymph.model import State
from glymph.moments import MICROS_PER_DAY
from glymph.prune import staleness
from glymph.prune.allowance import allowance, count_cap, count_today
from glymph.prune.facts import collect_facts, count_links
from glymph.prune.marks import CENTRAL, UNTOUCHED_DAYS, centrality, is_live, may_be_put_away
from glymph.prune.outcomes import bears_outcome
from glymph.prune.rules import Facts, Findings, Thresholds, apply_rules
from glymph.prune.rules.faded import RULE as FADED
from glymph.prune.schedule import CONSOLIDATED
from glymph.prune.staying import find_alive
from glymph.prune.text_facts import find_repeats, load_sample
from glymph.store import guards, records
from glymph.store.arrays import Columns, Flags, Slots
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.grading import (
    Grader,
    has_had_its_day,
    is_to_come,
    is_vital,
    measure_passing,
)

VERB, TRASH_VERB = "lifecycle", "lifecycle_trash"
OWN = (VERB, "ai_prune")  # verbs whose archive may move on to the trash
ARCHIVE_DAYS = 30  # without use, before it does
PAGE = 1_000  # archived memories that are looked at first
GRADED_AT_ONCE = 64  # memories
READ = 300  # memories of knowledge whose texts a run looks at
EPISODES = 2_000  # episodes of which a run looks up whether they had an outcome
# Where the next run goes on.
TEXT_TURN, EPISODE_TURN = "lifecycle_read_up_to", "lifecycle_episodes_up_to"
LEAST = Thresholds(stale_days=UNTOUCHED_DAYS)
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)


@dataclass(slots=True)
class Choice:
    """The memories to move, in this order, why, and why the rest stays."""

    moving: list[Row] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)  # by key
    cap: int = 0
    held_back: int = 0
    waiting: int = 0
    central: int = 0
    evidence: int = 0
    unread: int = 0
    vital: int = 0  # that stay because losing them may hurt somebody
    grader: Grader | None = None  # with the grades that are worth keeping
    counters: dict[str, int] = field(default_factory=dict)  # to be set when the run is over


# what goes to the archive


@dataclass(frozen=True, slots=True)
class _Faded:
    """Memories that rules may archive, the least retrievable first, equals by age."""

    keys: Slots
    created_at: Slots
    facts: Facts
    central: int  # others that stay only for the links that point at them


def find_archivable(
    ctx: Context,
    reader: Reader,
    columns: Columns,
    retention: Mapping[str, int],
    *,
    now: int,
    texts: bool,
) -> Choice:
    """Returns the faded memories that a rule lets go, as many as the cap allows.

    Texts are read only if told so, and of a few memories at a time.
    """
    faded = _find_faded(reader, columns, retention, now)
    grader = Grader(ctx)
    choice = Choice(cap=allowance(ctx, reader), central=faded.central, grader=grader)
    if not faded.facts.count:
        return choice
    found = apply_rules(faded.facts, "lifecycle", LEAST)
    goes = found.find_first() >= 0
    left = np.flatnonzero(~goes & ~faded.facts.source)
    goes &= ~_find_waiting(reader, faded, choice)
    choice.unread = len(left)
    reasons: dict[int, str] = {}  # of those whose texts were read
    instead: dict[int, int] = {}
    if texts and choice.cap:
        some = _take_turn(reader, choice, TEXT_TURN, faded.keys, left, READ)
        choice.unread -= len(some)
        read, instead = _read(ctx, reader, columns, faded, some, now, grader)
        for at in np.flatnonzero(read.find_first() >= 0).tolist():
            goes[some[at]] = True
            reasons[int(faded.keys[some[at]])] = _sentence(read, at)
    order = _while_others_stay(faded.keys[goes].tolist(), instead)
    replaced = set(faded.keys[faded.facts.superseded | faded.facts.expired].tolist())
    order = _spare_current(ctx, reader, order, replaced)
    keys = _take_first(reader, choice, _spare_vital(reader, choice, order, replaced, now))
    rows = reader.by_key(keys, EVERY_LIVE)
    choice.moving = [rows[key] for key in keys if key in rows]
    for at in np.flatnonzero(np.isin(faded.keys, keys)).tolist():
        key = int(faded.keys[at])
        choice.reasons[key] = reasons.get(key) or _sentence(found, at)
    return choice


def _find_faded(reader: Reader, columns: Columns, retention: Mapping[str, int], now: int) -> _Faded:
    """Returns what no guard holds and the rule `faded` holds for.

    Sections fall dormant after 2.3 to 3.3 stabilities; what was used is given 3 in each of them.
    """
    before = now - UNTOUCHED_DAYS * MICROS_PER_DAY
    changed = reader.changed_rows("memories", reader.last_operation_at_or_before(before))
    touched = reader.touched_since(changed, before)  # a link made or dropped by upkeep is no touch
    vitals = staleness.measure_vitals(
        columns.memories, columns.kinds, curves=reader.curves(), now=now
    )
    may = may_be_put_away(columns, now=now, touched=touched)
    slots = np.flatnonzero(may & staleness.is_dormant(vitals.retrievability))
    slots = slots[np.lexsort((slots, vitals.retrievability[slots]))]
    live = is_live(columns)
    links = count_links(columns, live)[slots]
    facts = collect_facts(
        columns, slots, vitals.at(slots), now=now, connections=links, retention=retention
    )
    holds = FADED.holds(facts, LEAST)
    central = centrality(columns, live)[slots] > CENTRAL
    places = np.flatnonzero(holds & ~central)
    return _Faded(
        keys=columns.memories["key"][slots[places]],
        created_at=columns.memories["created_at"][slots[places]],
        facts=facts.at(places),
        central=int(np.count_nonzero(holds & central)),
    )


def _find_waiting(reader: Reader, faded: _Faded, choice: Choice) -> Flags:
    """Marks the episodes and signals that stay until a consolidation has looked at them.

    That is not needed for those before the last one, and for those without an outcome.
    """
    last = reader.counter(CONSOLIDATED)
    source = faded.facts.source
    waiting = source.copy() if last is None else source & (faded.created_at >= last)
    some = _take_turn(reader, choice, EPISODE_TURN, faded.keys, np.flatnonzero(waiting), EPISODES)
    rows = reader.by_key(faded.keys[some].tolist(), EVERY_LIVE)
    for at in some.tolist():
        row = rows.get(int(faded.keys[at]))
        if row is None:
            continue
        if bears_outcome(records.attributes(row)):
            choice.waiting += 1
        else:
            waiting[at] = False
    return np.asarray(waiting)


def _read(
    ctx: Context, reader: Reader, columns: Columns, faded: _Faded, some: Slots, now: int,
    grader: Grader,
) -> tuple[Findings, dict[int, int]]:  # fmt: skip
    """Applies the rules to some memories with what their texts tell.

    Also returns, by the keys of those that others cover, the key of the other that must stay.
    """
    keys = faded.keys[some].tolist()
    rows = reader.by_key(keys, EVERY_LIVE)
    grades = grader.grade(reader, [rows[key] for key in keys])
    passing = [measure_passing(grades.get(key)) for key in keys]
    over = [has_had_its_day(rows[key], grades.get(key), now) for key in keys]
    facts = replace(
        faded.facts.at(some), passing=np.array(passing), over=np.array(over, dtype=bool)
    )
    found = apply_rules(facts, "lifecycle", LEAST)
    sample = load_sample(reader, columns)
    left = {keys[at]: rows[keys[at]] for at in np.flatnonzero(found.find_first() < 0).tolist()}
    repeats = find_repeats(ctx, reader, left, sample, now=now)
    shares = [repeats[key].share if key in repeats else 0.0 for key in keys]
    others = [repeats[key].other_id if key in repeats else "" for key in keys]
    facts = replace(
        found.facts, redundancy=np.array(shares), repeats=np.array(others, dtype=object)
    )
    return (
        apply_rules(facts, "lifecycle", LEAST),
        {key: repeat.other_key for key, repeat in repeats.items()},
    )


def _sentence(found: Findings, at: int) -> str:
    """Returns how far a memory has faded, and the most telling second reason."""
    told = {rule.name: why for rule, why in found.explain(at)}
    faded = told.pop(FADED.name)
    return "; ".join([faded, *list(told.values())[:1]])


def _take_turn(
    reader: Reader, choice: Choice, counter: str, keys: Slots, places: Slots, most: int
) -> Slots:
    """Returns as many of the places as a run looks at, so that every one has its turn.

    They begin after the key where the last run ended.
    """
    own = places[np.argsort(keys[places])]
    if len(own) <= most:
        return own
    at = int(np.searchsorted(keys[own], reader.counter(counter) or 0, side="right"))
    some = np.roll(own, -at)[:most]
    choice.counters[counter] = int(keys[some[-1]])
    return some


def _while_others_stay(order: Sequence[int], instead: Mapping[int, int]) -> list[int]:
    """Keeps one of each redundant set: it may go in the next run."""
    going = set(order)
    return [key for key in order if instead.get(key) not in going]


def _spare_current(
    ctx: Context, reader: Reader, order: Sequence[int], replaced: Collection[int]
) -> list[int]:
    """Keeps the current statement of something that is alive."""
    rows = reader.by_key([key for key in order if key not in replaced], EVERY_LIVE)
    alive = find_alive(ctx, reader, [row["id"] for row in rows.values()])
    return [key for key in order if key not in rows or rows[key]["id"] not in alive]


def _spare_vital(
    reader: Reader, choice: Choice, order: Sequence[int], replaced: Collection[int], now: int
) -> list[int]:
    """Keeps what may be vital to somebody, what is about a day to come, and what nobody has read.

    What was replaced, or whose own time is over, holds no more, and goes. As many are looked at as
    are needed.
    """
    grader = choice.grader if choice.grader is not None and choice.grader.can_grade else None
    going: list[int] = []
    for start in range(0, len(order), GRADED_AT_ONCE):
        if len(going) >= 2 * choice.cap:  # more than enough, should some be the last evidence
            choice.held_back += len(order) - start
            break
        some = order[start : start + GRADED_AT_ONCE]
        rows = reader.by_key([key for key in some if key not in replaced], EVERY_LIVE)
        staying = {key for key, row in rows.items() if is_to_come(row, now)}
        others = [row for key, row in rows.items() if key not in staying]
        grades = grader.grade(reader, others) if grader is not None else {}
        staying |= {key for key, grade in grades.items() if is_vital(grade)}
        choice.vital += len(staying)
        unread = {row["key"] for row in others} - grades.keys() if grader is not None else set()
        going += [key for key in some if key not in staying | unread]
    return going


def _take_first(reader: Reader, choice: Choice, order: Sequence[int]) -> list[int]:
    """Returns the first that may go under the cap, without taking the last evidence of anything."""
    kept: set[int] = set()
    while True:
        left = [key for key in order if key not in kept]
        going = left[: choice.cap]
        needed = (
            guards.last_evidence(going, reader.resting_on(going, guards.EVIDENCE)) if going else {}
        )
        if not needed:
            choice.evidence = len(kept)
            choice.held_back += len(left) - len(going)
            return going
        kept |= needed.keys()


# what goes to the trash


def trash_allowance(ctx: Context, reader: Reader) -> int:
    """Returns how many memories lifecycle may still put in the trash today."""
    left = count_cap(ctx, reader) - count_today(ctx, reader, TRASH_VERB)
    return min(ctx.count_left_today(reader), max(0, left))


def find_trashable(
    ctx: Context, reader: Reader, retention: Mapping[str, int], *, now: int
) -> Choice:
    """Returns the archived memories that may go into the trash.

    Unattended runs archived them, nobody used or changed them for 30 days, and nothing rests on
    them.
    """
    before = now - ARCHIVE_DAYS * MICROS_PER_DAY
    choice = Choice(cap=trash_allowance(ctx, reader))
    due: dict[int, Row] = {}
    limit = read = PAGE
    while read == limit and len(due) <= choice.cap:
        limit *= 4
        rows = reader.archived_by(OWN, before=before, limit=limit)
        read = len(rows)
        due = {row["key"]: row for row in rows if _may_be_trashed(row, retention, now)}
        touched = reader.touched_since(list(due), before)
        needed = _find_evidence(reader, due)
        choice.evidence = len(needed)
        due = {key: row for key, row in due.items() if key not in touched and key not in needed}
    choice.moving = list(due.values())[: choice.cap]
    choice.held_back = len(due) - len(choice.moving)
    choice.reasons = {
        row["key"]: f"archived by {row['state_by']} "
        f"{(now - row['state_at']) / MICROS_PER_DAY:.0f} days ago and not used since"
        for row in choice.moving
    }
    return choice


def _may_be_trashed(row: Row, retention: Mapping[str, int], now: int) -> bool:
    if guards.find_obstacle(row, State.TRASHED) is not None:
        return False
    if SECTIONS[Section(row["section"])].role == "source":
        return True
    days = retention.get(row["kind"])
    return days is not None and now - row["created_at"] >= days * MICROS_PER_DAY


def _find_evidence(reader: Reader, rows: Mapping[int, Row]) -> set[int]:
    """Returns the keys of the memories on which a live one rests."""
    edges = [
        (a, b)
        for a, b, kind, *_ in reader.edges_touching(list(rows))
        if kind in guards.EVIDENCE and b in rows
    ]
    live = reader.by_key({source for source, _ in edges}, EVERY_LIVE)
    return {target for source, target in edges if source in live}
