"""Marks over the columns of a space: live, expired, central, and free for unattended upkeep."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.decay.sections import SECTIONS as PROFILES
from glymph.model import State
from glymph.moments import MICROS_PER_DAY
from glymph.prune import graph
from glymph.store.arrays import FOR_EVER, NEVER, SECTIONS, STATES, Columns, Flags, Floats, Slots

UNTOUCHED_DAYS = 14
# Stabilities after its last use for which what was ever used stays, however fast its section fades.
USED_KEPT = 3.0
CENTRAL = 0.5  # of the most links that point at one memory; what has more stays
# Links that say their target is replaced or repeated.
REPLACING = ("supersedes", "similar_to", "contradicts")

Places = Slots | slice
EVERY_PLACE = slice(None)


def may_be_put_away(columns: Columns, *, now: int, touched: Collection[int]) -> Flags:
    """Marks the live memories that an unattended run may take: none that somebody holds on to.

    Those are pinned, protected, younger than 14 days, lately used, or touched by an operation
    (`touched` are the keys of these).
    """
    memories = columns.memories
    may = is_live(columns) & ~(memories["pinned"] | memories["protected"])
    may &= memories["created_at"] <= now - UNTOUCHED_DAYS * MICROS_PER_DAY
    may &= ~recently_used(memories, now)
    keys = np.fromiter(touched, dtype=np.int64, count=len(touched))
    return np.asarray(may & ~np.isin(memories["key"], keys))


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


def is_source(columns: Columns, at: Places = EVERY_PLACE) -> Flags:
    """Marks the memories in a section that lessons are made from."""
    sources = np.array([PROFILES[section].role == "source" for section in SECTIONS])
    return np.asarray(sources[columns.memories["section"][at]])


def is_expired(columns: Columns, now: int, at: Places = EVERY_PLACE) -> Flags:
    """Marks the memories whose own time is over."""
    expires = columns.memories["expires_at"][at]
    return np.asarray((expires <= now) & (expires != FOR_EVER))
