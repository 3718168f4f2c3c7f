"""The surface: a Markdown digest of what a session should know at its start.

It is kept until something changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from glymph.checks import show
from glymph.context import Context
from glymph.decay import need
from glymph.decay.fsrs import ACTIVE_FROM, WEAK_FROM
from glymph.decay.sections import ANNOUNCED, IDENTITY_KIND, SUMMARY_KIND
from glymph.errors import InvalidInput
from glymph.learn.digest import (
    ALL_HEADINGS,
    FADING,
    GOALS,
    QUESTIONS,
    TRASH,
    VITAL,
    Heading,
    digest,
    heading_of,
)
from glymph.learn.doubts import find_doubted, read_for_updates
from glymph.model import State
from glymph.moments import EVER, MICROS_PER_DAY, micros, moment
from glymph.prune import staleness
from glymph.prune.worth import redundancy
from glymph.store import columns
from glymph.store.arrays import NEVER, SECTIONS, STATES, Columns, Flags
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.text.injection import find_order
from glymph.text.shown import line
from glymph.write.grading import NOISE, NOT_READ, PASSING, Grade, Grader, find_vital_keys, is_vital
from glymph.write.grading import VITAL as VITAL_SHARE
from glymph.write.question_queue import FORGET

LEAST_BUDGET, MOST_BUDGET = 100, 100_000
POOL = 2  # times the lines of a heading are looked at
LOOKED_AT = 5_000  # memories, the likeliest to be needed, among which vital ones are looked for
MOST_READ = 200  # texts that are graded while somebody waits
PLAINLY_VITAL, PLAINLY_NOISE, PLAINLY_PASSING = 0.5, 0.5, 0.9  # shares
REPEATED = 0.9  # said elsewhere to this share: the other line is enough
TRUSTED = 0.3  # what came from a source trusted less is not put before an agent unasked
SOON = 7  # days before memories in the trash are removed for good that it is announced
PINNED = 10.0  # more than all else can add up to


def surface(ctx: Context, budget_tokens: int | None = None, *, reads: bool = True) -> str:
    """Returns the digest for a budget of tokens.

    It is the kept one if nothing has changed, else it is made anew and kept. Empty if there is
    nothing to show. It never holds what is archived, trashed, superseded, expired or little
    trusted, what tries to steer the agent, nor what a newer statement may have put out of date;
    looking at it reinforces nothing.

    Where it `reads`, memories that have no grade yet are graded, and lines are held against each
    other: that takes seconds. A digest made without reading is not kept.
    """
    budget = ctx.settings.surface_tokens if budget_tokens is None else budget_tokens
    if (
        isinstance(budget, bool)
        or not isinstance(budget, int)
        or not LEAST_BUDGET <= budget <= MOST_BUDGET
    ):
        raise InvalidInput(
            "budget_tokens",
            f"{show(budget)} is not a whole number from {LEAST_BUDGET} to {MOST_BUDGET:,}. "
            "Leave it out for the setting surface_tokens.",
        )
    now = micros(ctx.now())
    with ctx.reading() as reader:
        change = reader.newest_change()
        kept = reader.surface(budget)
        if kept is not None and kept["change"] == change and _still_holds(kept, now):
            return str(kept["text"])
        reading = columns.read(reader)
        grader = Grader(ctx, left=MOST_READ if reads else 0)
        text, until = _make_digest(reader, reading.columns, budget, now, grader)
    if ctx.store.writable and reads:
        grader.keep()
        with ctx.store.writing(ctx.space, None) as writer:
            writer.keep_surface(budget, text, change=change, until=until)
    return text


def _still_holds(kept: Row, now: int) -> bool:
    """Tells whether a kept digest is valid; one for longer than a day is of a wrong clock."""
    return bool(0 < kept["until"] - now <= MICROS_PER_DAY)


def _make_digest(
    reader: Reader, space: Columns, budget: int, now: int, grader: Grader
) -> tuple[str, int]:
    """The digest, and until when it holds: a day, or until the first of what it shows expires."""
    pools = _pools(space, reader, now, grader)
    keys = {key for pool in pools.values() for key in pool}
    found = reader.by_key(sorted(keys), Filter(states=(State.LIVE,), live_at=now))
    for key in find_doubted(reader, found, now):
        del found[key]
    rows = {h: [found[key] for key in pool if key in found] for h, pool in pools.items()}
    grades = grader.grade(reader, [row for several in rows.values() for row in several])
    rows = {h: _worth_showing(several, grades) for h, several in _put_vital_first(rows, grades)}
    unasked = {
        QUESTIONS: _word_questions(reader),
        TRASH: _announce_trash(reader, now, grader.ctx.settings.trash_days),
    }
    checked: set[int] = set()
    while True:
        text, shown = _fill(rows, unasked, budget)
        fresh = {row["key"] for row in shown} - checked
        doubted = read_for_updates(grader.ctx, reader, shown, fresh) if grader.may_read else set()
        outdated = {key for key in doubted if not is_vital(grades.get(key))}
        if not outdated:
            break
        checked |= fresh
        rows = {h: [row for row in some if row["key"] not in outdated] for h, some in rows.items()}
    ends = [row["expires_at"] for row in shown if row["expires_at"] is not None]
    return text, min([now + MICROS_PER_DAY, *ends])


def _fill(
    rows: Mapping[Heading, Sequence[Row]], others: Mapping[Heading, Sequence[str]], budget: int
) -> tuple[str, list[Row]]:
    """Returns the digest of some rows and other lines, and those of the rows that are in it."""
    lines = {heading: [_line(heading, row) for row in some] for heading, some in rows.items()}
    text, counts = digest({**lines, **others}, budget=budget)
    if VITAL in counts:
        # What was told first stands first: nothing that comes later pushes itself above it.
        chosen = sorted(rows[VITAL][: counts[VITAL]], key=lambda row: int(row["key"]))
        rows = {**rows, VITAL: chosen}
        lines[VITAL] = [_line(VITAL, row) for row in chosen]
        text, counts = digest({**lines, **others}, budget=budget)
    return text, [row for h, count in counts.items() if h in rows for row in rows[h][:count]]


def _put_vital_first(
    rows: Mapping[Heading, Sequence[Row]], grades: Mapping[int, Grade]
) -> list[tuple[Heading, Sequence[Row]]]:
    """Returns the rows by heading, with the vital ones of all headings under their own.

    Goals and what fades stay where they are.
    """
    kept = (GOALS, FADING)
    vital = {
        row["key"]: row
        for heading, several in rows.items()
        for row in several
        if heading not in kept and grades.get(row["key"], NOT_READ)[VITAL_SHARE] >= PLAINLY_VITAL
    }
    first = sorted(vital.values(), key=lambda row: -grades[row["key"]][VITAL_SHARE])
    rest = {h: [row for row in several if row["key"] not in vital] for h, several in rows.items()}
    return [*(rest | {VITAL: first}).items()]


def _announce_trash(reader: Reader, now: int, stay: int) -> list[str]:
    """Returns what will be removed for good from the trash soon, by the day it may go at first."""
    today = now // MICROS_PER_DAY
    ends: dict[int, int] = {}
    for day, count in reader.trash_ends(
        min(stay * MICROS_PER_DAY, EVER), min(now + SOON * MICROS_PER_DAY, EVER)
    ):
        ends[max(day, today)] = ends.get(max(day, today), 0) + count
    return [
        f"{count:,} {'memory' if count == 1 else 'memories'} in the trash will be removed for good "
        f"on {moment(day * MICROS_PER_DAY).date()}; restore_memory brings one back until then"
        for day, count in ends.items()
    ]


def _word_questions(reader: Reader) -> list[str]:
    """Returns the open questions, each with the newer statement only: the older may be untrue."""
    waiting = [row for row in reader.questions() if row["kind"] != FORGET]
    newer = reader.memories([row["newer"] for row in waiting])
    return [
        f"{line(newer[row['newer']]['text'])} Is what was said before still true? [{row['id']}]"
        for row in waiting
        if row["newer"] in newer and _may_be_shown(newer[row["newer"]])
    ]


def _may_be_shown(row: Row) -> bool:
    return row["state"] == State.LIVE and find_order(row["text"]) is None


def _pools(space: Columns, reader: Reader, now: int, grader: Grader) -> dict[Heading, list[int]]:
    """Returns for each heading the keys of what may be shown there, best first.

    They are more than the heading has lines for. What is known to be vital is among them, however
    faded.
    """
    memories = space.memories
    live: Flags = (memories["state"] == STATES.index(State.LIVE)) & ~memories["superseded"]
    live &= (memories["expires_at"] > now) | memories["pinned"].astype(bool)
    live &= ~space.of_kind(IDENTITY_KIND)
    live &= ~space.of_kind(SUMMARY_KIND)  # what it says is here already, and more of it
    some = {name: column[live] for name, column in memories.items()}
    present = staleness.measure_vitals(
        some, space.kinds, curves=reader.curves(), now=now
    ).retrievability
    last = np.where(some["last_used_at"] == NEVER, np.nan, some["last_used_at"].astype(np.float64))
    wanted = need.chance(need.activation(some["access_count"], some["created_at"], last, now=now))
    likely = wanted + 0.5 * present + PINNED * some["pinned"]
    # What has faded is found when it is asked for.
    awake = (present >= WEAK_FROM) | some["pinned"]
    under = _headings(space)[some["kind"], some["section"]]
    under[~awake] = -1
    weak = np.flatnonzero(
        awake & (present < ACTIVE_FROM) & np.isin(some["kind"], _codes(space, ANNOUNCED))
    )
    under[weak[np.argsort(-likely[weak], kind="stable")[: FADING.lines]]] = ALL_HEADINGS.index(
        FADING
    )
    pools: dict[Heading, list[int]] = {}
    for number, heading in enumerate(ALL_HEADINGS):
        places = np.flatnonzero(under == number)
        best = some["created_at"] if heading.newest else likely
        order = np.argsort(-best[places], kind="stable")[: POOL * heading.lines]
        pools[heading] = some["key"][places[order]].tolist()
    likeliest = some["key"][np.argsort(-likely, kind="stable")[:LOOKED_AT]].tolist()
    shown = {key for pool in pools.values() for key in pool}
    vital = find_vital_keys(grader.ctx, reader, likeliest, least=PLAINLY_VITAL)
    pools[VITAL] = [key for key in vital if key not in shown][: VITAL.lines]
    return pools


def _codes(space: Columns, kinds: Collection[str]) -> list[int]:
    return [code for code, kind in enumerate(space.kinds) if kind in kinds]


def _headings(space: Columns) -> NDArray[np.int64]:
    """The number of the heading for each kind and section."""
    numbers = {heading: number for number, heading in enumerate(ALL_HEADINGS)}
    table = [[numbers[heading_of(kind, section)] for section in SECTIONS] for kind in space.kinds]
    return np.array(table, dtype=np.int64).reshape(len(space.kinds), len(SECTIONS))


def _worth_showing(rows: Sequence[Row], grades: Mapping[int, Grade]) -> list[Row]:
    """Returns the rows, in their order, that are worth an agent's time and that no other repeats.

    Left out is what is little trusted, what tries to steer the agent, noise, passing remarks, and
    what another of them says.
    """
    some = [
        row
        for row in rows
        if row["trust"] >= TRUSTED
        and (row["pinned"] or not _is_idle(grades.get(row["key"])))
        and find_order(row["text"]) is None
    ]
    again = redundancy([row["text"] for row in some])
    return [row for row, share in zip(some, again.tolist(), strict=True) if share < REPEATED]


def _is_idle(grade: Grade | None) -> bool:
    """Tells whether a text says nothing, or nothing that outlives its day."""
    if grade is None or is_vital(grade):
        return False
    return grade[NOISE] >= PLAINLY_NOISE or grade[NOISE] + grade[PASSING] >= PLAINLY_PASSING


def _line(heading: Heading, row: Row) -> str:
    return line(row["text"]) + (f" [{row['id']}]" if heading is FADING else "")
