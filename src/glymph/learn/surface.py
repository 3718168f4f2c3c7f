"""The surface: a Markdown digest of what a session should know at its start.

It is kept until something changes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context
from glymph.decay import need
from glymph.decay.fsrs import ACTIVE_FROM, WEAK_FROM
from glymph.decay.sections import ANNOUNCED, IDENTITY_KIND
from glymph.errors import InvalidInput
from glymph.learn.digest import ALL_HEADINGS, FADING, Heading, digest, heading_of, line
from glymph.model import State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune import staleness
from glymph.prune.worth import redundancy
from glymph.store import columns
from glymph.store.arrays import NEVER, SECTIONS, STATES, Columns, Flags
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader

LEAST_BUDGET, MOST_BUDGET = 100, 100_000
POOL = 3  # times the lines of a heading are looked at
REPEATED = 0.9  # said elsewhere to this share: the other line is enough
TRUSTED = 0.3  # what came from a source trusted less is not put before an agent unasked
PINNED = 10.0  # more than all else can add up to


def surface(ctx: Context, budget_tokens: int | None = None) -> str:
    """Returns the digest for a budget of tokens.

    It is the kept one if nothing has changed, else it is made anew and kept. Empty if there is
    nothing to show. It never holds what is archived, trashed, superseded, expired or little
    trusted, and looking at it reinforces nothing.
    """
    budget = ctx.settings.surface_tokens if budget_tokens is None else budget_tokens
    if (
        isinstance(budget, bool)
        or not isinstance(budget, int)
        or not LEAST_BUDGET <= budget <= MOST_BUDGET
    ):
        raise InvalidInput(
            "budget_tokens",
            f"{budget!r} is not a whole number from {LEAST_BUDGET} to {MOST_BUDGET:,}.",
        )
    now = micros(ctx.now())
    with ctx.reading() as reader:
        change = reader.newest_change()
        kept = reader.surface(budget)
        if kept is not None and kept["change"] == change and now < kept["until"]:
            return str(kept["text"])
        reading = columns.read(reader)
        text, until = _make_digest(reader, reading.columns, budget, now)
    if ctx.store.writable:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.keep_surface(budget, text, change=change, until=until)
    return text


def _make_digest(reader: Reader, space: Columns, budget: int, now: int) -> tuple[str, int]:
    """The digest, and until when it holds: a day, or until the first of what it shows expires."""
    pools = _pools(space, reader, now)
    keys = {key for pool in pools.values() for key in pool}
    found = reader.by_key(sorted(keys), Filter(states=(State.LIVE,), live_at=now))
    rows = {
        heading: _worth_showing([found[k] for k in pool if k in found])
        for heading, pool in pools.items()
    }
    lines = {heading: [_line(heading, row) for row in shown] for heading, shown in rows.items()}
    text, counts = digest(lines, budget=budget)
    shown = [row for heading, count in counts.items() for row in rows[heading][:count]]
    ends = [row["expires_at"] for row in shown if row["expires_at"] is not None]
    return text, min([now + MICROS_PER_DAY, *ends])


def _pools(space: Columns, reader: Reader, now: int) -> dict[Heading, list[int]]:
    """Returns for each heading the keys of what may be shown there, best first.

    They are more than the heading has lines for.
    """
    memories = space.memories
    live: Flags = (memories["state"] == STATES.index(State.LIVE)) & ~memories["superseded"]
    live &= (memories["expires_at"] > now) & ~space.of_kind(IDENTITY_KIND)
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
    return pools


def _codes(space: Columns, kinds: Collection[str]) -> list[int]:
    return [code for code, kind in enumerate(space.kinds) if kind in kinds]


def _headings(space: Columns) -> NDArray[np.int64]:
    """The number of the heading for each kind and section."""
    numbers = {heading: number for number, heading in enumerate(ALL_HEADINGS)}
    table = [[numbers[heading_of(kind, section)] for section in SECTIONS] for kind in space.kinds]
    return np.array(table, dtype=np.int64).reshape(len(space.kinds), len(SECTIONS))


def _worth_showing(rows: Sequence[Row]) -> list[Row]:
    """Returns the rows, in their order, that are trusted and that no other row repeats.

    Left out is what is little trusted, and what another of them says as well.
    """
    trusted = [row for row in rows if row["trust"] >= TRUSTED]
    again = redundancy([row["text"] for row in trusted])
    return [row for row, share in zip(trusted, again.tolist(), strict=True) if share < REPEATED]


def _line(heading: Heading, row: Row) -> str:
    return line(row["text"]) + (f" [{row['id']}]" if heading is FADING else "")
