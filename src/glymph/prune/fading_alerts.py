"""Fading alerts: lessons, theses and playbooks about to be lost, and how to keep them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from glymph.checks import show
from glymph.context import Context
from glymph.decay import fsrs
from glymph.decay.reinforce import apply_use
from glymph.errors import InvalidInput
from glymph.model import Outcome, Receipt, State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune import staleness
from glymph.prune.marks import is_expired, is_live
from glymph.prune.results import Fading
from glymph.store import columns as store_columns
from glymph.store.arrays import SECTIONS, Columns
from glymph.store.contract import Filter
from glymph.store.reader import Reader
from glymph.undo.restore import checked_ids

KINDS = ("lesson", "thesis", "playbook")  # worth an alert: what was learnt
LIMIT = 5
MOST = 100
LAST_ALERT = "last_fading_alert_at"
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)


def find_fading(ctx: Context, *, announce: bool = False, limit: int = LIMIT) -> tuple[Fading, ...]:
    """Returns the lessons, theses and playbooks that are WEAK now, the first to fall dormant first.

    With `announce` it tells them at most once in 24 hours and is empty until then; the telling is
    noted.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MOST:
        raise InvalidInput("limit", f"{show(limit)} is not a whole number from 1 to {MOST}.")
    now = micros(ctx.now())
    with ctx.reading() as reader:
        if announce and _told_lately(reader, now):
            return ()
        found = find_fading_in(reader, store_columns.read(reader).columns, now, limit=limit)
    if not announce or not found:
        return found
    with ctx.store.writing(ctx.space, None) as writer:
        if _told_lately(writer, now):
            return ()  # by somebody else, meanwhile
        writer.set_counter(LAST_ALERT, now)
    return found


def _told_lately(reader: Reader, now: int) -> bool:
    last = reader.counter(LAST_ALERT)
    return last is not None and 0 <= now - last < MICROS_PER_DAY


def find_fading_in(
    reader: Reader, held: Columns, now: int, *, limit: int = LIMIT
) -> tuple[Fading, ...]:
    """Returns the fading memories of a space that is held in columns.

    Pinned, replaced and expired ones are left out: they are safe, or no loss.
    """
    memories, curves = held.memories, reader.curves()
    found = staleness.measure_vitals(memories, held.kinds, curves=curves, now=now)
    learnt = np.array([kind in KINDS for kind in held.kinds] or [False])[memories["kind"]]
    weak = (
        learnt
        & is_live(held)
        & ~memories["superseded"]
        & ~memories["pinned"]
        & ~is_expired(held, now)
    )
    weak &= ~staleness.is_active(found.retrievability) & ~staleness.is_dormant(found.retrievability)
    slots = np.flatnonzero(weak)
    exponents = np.array([curves[section].decay for section in SECTIONS])[
        memories["section"][slots]
    ]
    scales = np.array([curves[section].scale for section in SECTIONS])[memories["section"][slots]]
    ends = fsrs.days_until(fsrs.WEAK_FROM, memories["stability"][slots] * scales, exponents)
    left = np.maximum(ends - found.days[slots], 0.0)
    first = np.lexsort((slots, left))[:limit]
    keys = memories["key"][slots[first]].tolist()
    rows = reader.by_key(keys, EVERY_LIVE)
    return tuple(
        Fading(
            id=rows[key]["id"], kind=rows[key]["kind"], title=rows[key]["title"],
            retrievability=round(float(found.retrievability[slots[at]]), 4),
            days_until_dormant=round(float(left[at]), 1),
            choices={name: f"{name}(['{rows[key]['id']}'])" for name in ("reinforce", "archive")},
        )
        for at, key in zip(first.tolist(), keys, strict=True) if key in rows
    )  # fmt: skip


def reinforce(ctx: Context, ids: str | Iterable[str]) -> Receipt:
    """Counts one use of each of these memories, as a report of a recall does. It can be undone."""
    wanted = checked_ids(ids)
    with ctx.operation("reinforce", reason="kept by choice") as op:
        rows = op.writer.memories(wanted)
        curves = op.writer.curves()
        for memory_id in wanted:
            row = rows.get(memory_id)
            if row is None:
                op.fail(memory_id, "no such memory in this space")
            elif row["state"] != State.LIVE:
                op.skip(memory_id, f"it is {row['state']}; restore it first")
            else:
                figures = apply_use(row, Outcome.USED, op.now, curves=curves)
                op.writer.change("memories", {row["key"]: figures})
                op.succeeded.append(memory_id)
    return ctx.receipt(op)
