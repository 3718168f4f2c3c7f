"""Single memories that may go, each with one reason and how soon."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glymph.context import Context
from glymph.decay.sections import IDENTITY_KIND
from glymph.decay.stages import POLICIES
from glymph.embed.embedding import wording
from glymph.errors import InvalidInput
from glymph.model import State
from glymph.moments import MICROS_PER_DAY, micros
from glymph.prune import staleness
from glymph.prune.graph import degrees
from glymph.prune.plan import Candidates, PruneCandidate
from glymph.recall.counter import stage_of
from glymph.store import columns as store_columns
from glymph.store import guards
from glymph.store.arrays import FOR_EVER, STATES, Columns, Flags, Floats
from glymph.store.contract import Filter, Reader

CONNECTED = 3  # links from which a memory is kept for what hangs on it
COMPARED = 20_000  # memories compared with the goals where their vectors are not at hand
NEUTRAL = 0.5  # alignment in the priority where there are no goals
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)
REASONS = ("", "redundancy", "low_alignment", "orphan", "staleness")
_KEPT, _REDUNDANT, _UNALIGNED, _ORPHAN, _STALE = range(len(REASONS))


@dataclass(frozen=True, slots=True)
class Figures:
    """What decides, for each live memory."""

    slots: NDArray[np.int64]
    age: Floats
    days: Floats  # since the last use
    links: NDArray[np.int64]
    superseded: Flags
    expired: Flags
    kept: Flags  # by a guard or by its links
    alignment: Floats  # NaN where unknown


def candidates(
    ctx: Context,
    *,
    limit: int = 20,
    min_staleness_days: float | None = None,
    min_alignment: float = 0.4,
) -> Candidates:
    """The memories that may go, the first to go first, with counts over everything that was looked
    at.

    Without `min_staleness_days` it is as the stage of the space has it.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 1000:
        raise InvalidInput("limit", f"{limit!r} is not a whole number from 1 to 1000.")
    _check("min_alignment", min_alignment, 1)
    with ctx.reading() as reader:
        if min_staleness_days is None:
            min_staleness_days = POLICIES[stage_of(reader)].min_staleness_days
        _check("min_staleness_days", min_staleness_days, 36_500)
        reading = store_columns.read(reader)
        found = _figures(ctx, reader, reading.columns)
        reasons = _reasons(found, min_staleness_days, min_alignment)
        priority = _priority(found)
        going = np.flatnonzero(reasons != _KEPT)
        first = going[np.lexsort((found.slots[going], -priority[going]))[:limit]]
        keys = reading.columns.memories["key"][found.slots[first]]
        rows = reader.by_key(keys.tolist(), EVERY_LIVE)
        listed = tuple(
            PruneCandidate(
                memory_id=rows[key]["id"], title=rows[key]["title"], reason=REASONS[reasons[at]],
                age_days=round(float(found.age[at]), 1), days_since_use=round(float(found.days[at]), 1),
                alignment=None if np.isnan(found.alignment[at]) else round(float(found.alignment[at]), 3),
                connections=int(found.links[at]), byte_size=len(rows[key]["text"].encode()),
                priority=round(float(priority[at]), 4),
            )
            for at, key in zip(first.tolist(), keys.tolist(), strict=True) if key in rows
        )  # fmt: skip
    counts = Counter(REASONS[code] for code in reasons[going].tolist())
    return Candidates(
        candidates=listed,
        summary={
            "total": len(going),
            "by_reason": {name: counts.get(name, 0) for name in REASONS if name},
            "thresholds": {
                "min_staleness_days": min_staleness_days,
                "min_alignment": min_alignment,
            },
            "examined": len(found.slots),
        },
    )


def _check(field: str, value: object, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise InvalidInput(field, f"{value!r} is not a number from 0 to {most:g}.")


def _figures(ctx: Context, reader: Reader, columns: Columns) -> Figures:
    now = micros(ctx.now())
    memories = columns.memories
    live = (memories["state"] == STATES.index(State.LIVE)) & ~columns.of_kind(IDENTITY_KIND)
    slots = np.flatnonzero(live)
    vitals = staleness.vitals(memories, columns.kinds, curves=reader.curves(), now=now).at(slots)
    find = columns.finder()
    source, target = find(columns.edges["source"]), find(columns.edges["target"])
    between = live[source] & live[target]
    links = degrees(columns.size, source[between], target[between])[slots]
    age = (now - memories["created_at"][slots]) / MICROS_PER_DAY
    guarded = memories["pinned"][slots] | memories["protected"][slots] | (age < guards.YOUNG_DAYS)
    guarded |= staleness.awake(vitals.retrievability) & (
        memories["access_count"][slots] > guards.MUCH_USED
    )
    guarded |= columns.of_kind("goal")[slots]
    expires = memories["expires_at"][slots]
    return Figures(
        slots=slots,
        age=age,
        days=vitals.days,
        links=links,
        superseded=memories["superseded"][slots],
        expired=(expires <= now) & (expires != FOR_EVER),
        kept=guarded | (links >= CONNECTED),
        alignment=_alignment(ctx, reader, columns, slots),
    )


def _reasons(found: Figures, stale_days: float, least: float) -> NDArray[np.int64]:
    """The code of each memory's reason, in the order of the rules."""
    stale = found.days >= stale_days
    conditions = [
        found.kept,
        found.expired,
        found.superseded,
        found.alignment < least,
        stale & (found.links == 0),
    ]
    return np.select(
        [*conditions, stale],
        [_KEPT, _STALE, _REDUNDANT, _UNALIGNED, _ORPHAN, _STALE],
        default=_KEPT,
    )


def _priority(found: Figures) -> Floats:
    alignment = np.where(np.isnan(found.alignment), NEUTRAL, found.alignment)
    return np.asarray(
        0.5 * (1 - alignment) + 0.3 * np.minimum(1.0, found.age / 365) + 0.2 / (found.links + 1),
        dtype=np.float64,
    )


def _alignment(ctx: Context, reader: Reader, columns: Columns, slots: NDArray[np.int64]) -> Floats:
    """The cosine of each memory with the goal that is nearest to it; NaN without goals or vectors."""
    found = np.full(len(slots), np.nan)
    goals = slots[columns.of_kind("goal")[slots] & ~columns.memories["superseded"][slots]]
    model, _ = ctx.meaning.reached()
    if not len(goals) or model is None:
        return found
    view = ctx.meaning.mirrors.view(reader, model, whole=True)
    if view.model_key is None or view.vectors is None:
        return found
    keys = columns.memories["key"]
    aimed = reader.by_key(keys[goals].tolist(), EVERY_LIVE)
    aims = [
        np.frombuffer(vector, dtype="<f2").astype(np.float32)
        for key, said, vector in reader.vectors_of(view.model_key, list(aimed))
        if said == wording(aimed[key]["content_hash"])
    ]
    own = view.slots(keys[slots].tolist())
    some = np.flatnonzero(own >= 0)
    if view.vectors.matrix is None:
        oldest = np.argsort(columns.memories["created_at"][slots[some]], kind="stable")
        some = some[oldest[:COMPARED]]
    for aim in aims:
        cosines = view.cosines(aim, own[some], reader=reader)
        found[some] = np.fmax(found[some], cosines)
    found[np.isin(slots, goals)] = 1.0 if aims else np.nan
    return np.asarray(np.clip(found, 0.0, 1.0))
