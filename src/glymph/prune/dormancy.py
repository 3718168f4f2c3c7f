"""What has come to rest: the live memories that by their figures may be archived without anybody
asking.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.decay.lifecycle import Curves
from glymph.decay.sections import SECTIONS as PROFILES
from glymph.decay.sections import kind_profile
from glymph.model import State
from glymph.moments import MICROS_PER_DAY
from glymph.prune import graph, staleness
from glymph.store.arrays import FOR_EVER, NEVER, SECTIONS, STATES, Columns, Flags, Floats, Slots

UNTOUCHED_DAYS = 14
# Stabilities after its last use for which what was ever used stays, however fast its section fades.
USED_KEPT = 3.0
CENTRAL = 0.5  # of the most links that point at one memory; what has more stays
REPLACING = (
    "supersedes",
    "similar_to",
    "contradicts",
)  # links that say their target is replaced or repeated


@dataclass(frozen=True, slots=True)
class Resting:
    """Memories by their slots, the least retrievable first, equals by age; figures side by side."""

    slots: Slots
    keys: Slots
    retrievability: Floats
    days: Floats  # since the last use
    source: Flags  # whether the section is one of episodes and signals
    central: int  # others that stay only for the links that point at them


def resting(columns: Columns, *, curves: Curves, now: int, touched: Collection[int]) -> Resting:
    """Live memories that are DORMANT, untouched for 14 days, neither pinned nor protected nor
    central.

    Sections fall dormant after 2.3 to 3.3 stabilities; what was used is given 3 in each of them.
    `touched` are the keys of those that an operation has changed meanwhile.
    """
    memories = columns.memories
    found = staleness.vitals(memories, columns.kinds, curves=curves, now=now)
    live = is_live(columns)
    fading = np.array([kind_profile(kind).decays for kind in columns.kinds] or [False])[
        memories["kind"]
    ]
    anchor = np.where(
        memories["last_used_at"] == NEVER, memories["created_at"], memories["last_used_at"]
    )
    may = live & fading & staleness.dormant(found.retrievability)
    may &= ~(memories["pinned"] | memories["protected"])
    may &= np.maximum(anchor, memories["created_at"]) <= now - UNTOUCHED_DAYS * MICROS_PER_DAY
    may &= ~recently_used(memories, now)
    may &= ~np.isin(memories["key"], np.fromiter(touched, dtype=np.int64, count=len(touched)))
    central = centrality(columns, live) > CENTRAL
    slots = np.flatnonzero(may & ~central)
    slots = slots[np.lexsort((slots, found.retrievability[slots]))]
    return Resting(
        slots=slots,
        keys=memories["key"][slots],
        retrievability=found.retrievability[slots],
        days=found.days[slots],
        source=is_source(columns)[slots],
        central=int(np.count_nonzero(may & central)),
    )


def recently_used(memories: Mapping[str, NDArray[Any]], now: int) -> Flags:
    """Which memories were used, and less than three stabilities ago: no unattended run takes those."""
    ever = memories["last_used_at"] != NEVER
    days = (now - memories["last_used_at"]) / MICROS_PER_DAY
    return np.asarray(ever & (days < USED_KEPT * memories["stability"]))


def centrality(columns: Columns, live: Flags) -> Floats:
    """How many live memories point at each live one, as a share of the most; replacing links do not
    count.
    """
    edges, find = columns.edges, columns.finder()
    counting = np.array([name not in REPLACING for name in columns.types] or [False])[edges["type"]]
    source, target = find(edges["source"][counting]), find(edges["target"][counting])
    return graph.centrality(columns.size, target[live[source] & live[target]])


def is_live(columns: Columns) -> Flags:
    return np.asarray(columns.memories["state"] == STATES.index(State.LIVE))


def is_source(columns: Columns) -> Flags:
    """Which memories are in a section that lessons are made from."""
    sources = np.array([PROFILES[section].role == "source" for section in SECTIONS])
    return np.asarray(sources[columns.memories["section"]])


def is_expired(columns: Columns, now: int) -> Flags:
    expires = columns.memories["expires_at"]
    return np.asarray((expires <= now) & (expires != FOR_EVER))
