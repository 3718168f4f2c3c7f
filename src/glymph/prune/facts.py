"""Facts for rules, from the columns of a space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from glymph.moments import MICROS_PER_DAY
from glymph.prune.graph import degrees
from glymph.prune.marks import is_expired, is_source
from glymph.prune.rules import Facts
from glymph.prune.staleness import Vitals
from glymph.store.arrays import Columns, Flags, Slots


def collect_facts(
    columns: Columns,
    slots: Slots,
    own: Vitals,
    *,
    now: int,
    connections: Slots,
    retention: Mapping[str, int] | None = None,
    **known: Any,
) -> Facts:
    """Returns the facts of the memories at some slots, with whatever else is known of them.

    Their vitals, connections and the rest stand beside the slots.
    """
    memories = columns.memories
    kept = {kind: days for kind, days in (retention or {}).items() if kind in columns.kinds}
    if kept:
        by_kind = np.array([kept.get(kind, np.inf) for kind in columns.kinds])
        known["retention_days"] = by_kind[memories["kind"][slots]]
    return Facts.about(
        len(slots),
        kinds=columns.kinds,
        retrievability=own.retrievability,
        age_days=(now - memories["created_at"][slots]) / MICROS_PER_DAY,
        days_since_use=own.days,
        access_count=memories["access_count"][slots],
        connections=connections,
        expired=is_expired(columns, now, slots),
        superseded=memories["superseded"][slots],
        source=is_source(columns, slots),
        kind=memories["kind"][slots],
        **known,
    )


def count_links(columns: Columns, among: Flags) -> Slots:
    """Returns how many links each memory has with others, both of them marked."""
    find = columns.finder()
    source, target = find(columns.edges["source"]), find(columns.edges["target"])
    between = among[source] & among[target]
    return degrees(columns.size, source[between], target[between])
