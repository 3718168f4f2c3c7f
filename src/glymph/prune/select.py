"""Single memories that may go, each with one reason and how soon."""

from __future__ import annotations

from collections import Counter

import numpy as np

from glymph.checks import show
from glymph.context import Context
from glymph.decay.sections import IDENTITY_KIND
from glymph.decay.stages import find_policy
from glymph.errors import InvalidInput
from glymph.model import State
from glymph.moments import micros
from glymph.prune import staleness
from glymph.prune.facts import collect_facts, count_links
from glymph.prune.marks import is_live
from glymph.prune.plan import Candidates, PruneCandidate
from glymph.prune.rules import REASONS, Facts, Findings, Thresholds, apply_rules
from glymph.prune.sameness import find_same, mark_repeated
from glymph.prune.staying import find_reasons_to_stay
from glymph.prune.vectors import align_all
from glymph.recall.counter import stage_of
from glymph.store import columns as store_columns
from glymph.store import guards
from glymph.store.arrays import Columns, Flags, Floats, Slots
from glymph.store.contract import Filter, Row
from glymph.store.reader import Reader
from glymph.write.grading import Grader

CONNECTED = 3  # links from which a memory is kept for what hangs on it
NEUTRAL = 0.5  # alignment in the priority where there are no goals
EVERY_LIVE = Filter(states=(State.LIVE,), include_superseded=True)


def candidates(
    ctx: Context,
    *,
    limit: int = 20,
    min_staleness_days: float | None = None,
    min_alignment: float = 0.4,
) -> Candidates:
    """Returns the memories that may go, the first to go first, with counts.

    The counts are over all memories that were examined; of what would be listed, what stays unless
    somebody names it is neither listed nor counted. Without `min_staleness_days`, the stage of the
    space decides on it.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= 1000:
        raise InvalidInput("limit", f"{show(limit)} is not a whole number from 1 to 1000.")
    _check("min_alignment", min_alignment, 1)
    with ctx.reading() as reader:
        if min_staleness_days is None:
            policy = find_policy(stage_of(reader), sessions=ctx.settings.ai_prune_sessions)
            min_staleness_days = policy.min_staleness_days
        _check("min_staleness_days", min_staleness_days, 36_500)
        columns = store_columns.read(reader).columns
        slots = np.flatnonzero(is_live(columns) & ~columns.of_kind(IDENTITY_KIND))
        facts = _collect_facts(ctx, reader, columns, slots)
        found = apply_rules(facts, "candidates", Thresholds(min_staleness_days, min_alignment))
        first_rule = np.where(_is_guarded(columns, slots, facts), -1, found.find_first())
        priority = _priority(facts)
        going = np.flatnonzero(first_rule >= 0)
        first = going[np.lexsort((slots[going], -priority[going]))[:limit]]
        keys = columns.memories["key"][slots[first]].tolist()
        rows = reader.by_key(keys, EVERY_LIVE)
        grader = Grader(ctx)
        staying = find_reasons_to_stay(reader, grader, [row["id"] for row in rows.values()])
        kept = [rows[key]["id"] in staying for key in keys]
        listed = tuple(
            _candidate(found, at, int(first_rule[at]), float(priority[at]), rows[key])
            for at, key, stays in zip(first.tolist(), keys, kept, strict=True)
            if not stays
        )
        going = going[~np.isin(going, first[kept])]
    if ctx.store.writable:
        grader.keep()
    numbers, totals = np.unique(first_rule[going], return_counts=True)
    counts: Counter[str] = Counter()
    for number, total in zip(numbers.tolist(), totals.tolist(), strict=True):
        counts[found.rules[number].reason] += total
    return Candidates(
        candidates=listed,
        summary={
            "total": len(going),
            "by_reason": {reason: counts[reason] for reason in REASONS},
            "thresholds": {
                "min_staleness_days": min_staleness_days,
                "min_alignment": min_alignment,
            },
            "examined": len(slots),
        },
    )


def _check(field: str, value: object, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise InvalidInput(field, f"{show(value)} is not a number from 0 to {most:g}.")


def _collect_facts(ctx: Context, reader: Reader, columns: Columns, slots: Slots) -> Facts:
    now = micros(ctx.now())
    live = is_live(columns) & ~columns.of_kind(IDENTITY_KIND)
    vitals = staleness.measure_vitals(
        columns.memories, columns.kinds, curves=reader.curves(), now=now
    )
    keys = columns.memories["key"][slots].tolist()
    repeated = _find_repeated(ctx, reader, now)
    return collect_facts(
        columns,
        slots,
        vitals.at(slots),
        now=now,
        connections=count_links(columns, live)[slots],
        alignment=align_all(ctx, reader, columns, slots),
        redundancy=np.array([float(key in repeated) for key in keys]),
        repeats=np.array([repeated.get(key, "") for key in keys], dtype=object),
    )


def _find_repeated(ctx: Context, reader: Reader, now: int) -> dict[int, str]:
    """Returns the keys of memories that a newer one says as well, with the id of that."""
    repeated = mark_repeated(find_same(ctx, reader, now=now) or [])
    rows = reader.memories(list(repeated))
    return {row["key"]: repeated[row["id"]] for row in rows.values()}


def _is_guarded(columns: Columns, slots: Slots, facts: Facts) -> Flags:
    """Marks what stays whatever rules say: by a guard, as a goal, or for what is linked to it."""
    memories = columns.memories
    kept = memories["pinned"][slots] | memories["protected"][slots] | facts.is_kind("goal")
    kept |= facts.age_days < guards.YOUNG_DAYS
    kept |= staleness.is_active(facts.retrievability) & (facts.access_count > guards.MUCH_USED)
    return np.asarray(kept | (facts.connections >= CONNECTED))


def _priority(facts: Facts) -> Floats:
    alignment = np.where(np.isnan(facts.alignment), NEUTRAL, facts.alignment)
    age = np.minimum(1.0, facts.age_days / 365)
    return np.asarray(
        0.5 * (1 - alignment) + 0.3 * age + 0.2 / (facts.connections + 1), dtype=np.float64
    )


def _candidate(found: Findings, at: int, rule: int, priority: float, row: Row) -> PruneCandidate:
    facts = found.facts
    alignment = float(facts.alignment[at])
    return PruneCandidate(
        memory_id=row["id"],
        title=row["title"],
        reason=found.rules[rule].reason,
        age_days=round(float(facts.age_days[at]), 1),
        days_since_use=round(float(facts.days_since_use[at]), 1),
        alignment=None if np.isnan(alignment) else round(alignment, 3),
        connections=int(facts.connections[at]),
        byte_size=len(row["text"].encode()),
        priority=round(priority, 4),
        why=tuple(sentence for _, sentence in found.explain(at)),
    )
