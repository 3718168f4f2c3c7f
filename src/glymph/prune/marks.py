"""Marks over the columns of a space: live, expired, central, and free for unattended upkeep."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.decay.edges import LASTING
from glymph.decay.sections import SECTIONS as PROFILES
from glymph.decay.sections import kind_profile
from glymph.model import State
from glymph.moments import MICROS_PER_DAY
from glymph.prune import graph
from glymph.prune.graph import degrees, effective_weights
from glymph.prune.results import ORPHAN_DAYS
from glymph.store import guards
from glymph.store.arrays import FOR_EVER, NEVER, SECTIONS, STATES, Columns, Flags, Floats, Slots

UNTOUCHED_DAYS = 14
# Stabilities after its last use for which what was ever used stays, however fast its section fades.
USED_KEPT = 3.0
CENTRAL = 0.5  # of the most links that point at one memory; what has more stays
# Links that say their target is replaced or repeated.
REPLACING = ("supersedes", "similar_to", "contradicts")
LEAST = 0.1  # effective weight below which a link goes
# A contradiction fades, but keeps what it joins from being taken for the same.
STAYING = LASTING | {"contradicts"}

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
    may &= ~is_recently_used(memories, now)
    keys = np.fromiter(touched, dtype=np.int64, count=len(touched))
    return np.asarray(may & ~np.isin(memories["key"], keys))


def is_recently_used(memories: Mapping[str, NDArray[Any]], now: int) -> Flags:
    """Marks memories used less than three stabilities ago, which no unattended run takes."""
    ever = memories["last_used_at"] != NEVER
    days = (now - memories["last_used_at"]) / MICROS_PER_DAY
    return np.asarray(ever & (days < USED_KEPT * memories["stability"]))


def centrality(columns: Columns, live: Flags) -> Floats:
    """Returns how many live memories point at each live one, as a share of the most.

    Replacing links do not count.
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
    """Marks the memories whose own time is over; what is pinned stays."""
    expires = columns.memories["expires_at"][at]
    pinned = columns.memories["pinned"][at].astype(bool)
    return np.asarray((expires <= now) & (expires != FOR_EVER) & ~pinned)


# for the gardener


def find_faded_links(columns: Columns, *, now: int) -> Slots:
    """Returns the places of links that have faded so far that they go, by their weight today.

    Both ends are live: what is archived or in the trash keeps its links as they are, for it may
    come back. Types that last, and contradictions, never go. A link of a pinned or protected memory
    goes only if it faded: one that was made that weak was meant so.
    """
    edges, find, memories = columns.edges, columns.finder(), columns.memories
    days = np.subtract(now, edges["since"], dtype=np.float64) / MICROS_PER_DAY
    weights = effective_weights(edges["weight"], edges["type"], names=columns.types, days=days)
    fading = np.array([name not in STAYING for name in columns.types] or [False])[edges["type"]]
    places = np.flatnonzero(fading & (weights < LEAST))
    source, target = find(edges["source"][places]), find(edges["target"][places])
    live, guarded = is_live(columns), memories["pinned"] | memories["protected"]
    goes = live[source] & live[target]
    goes &= ~(guarded[source] | guarded[target]) | (edges["weight"][places] >= LEAST)
    return places[goes]


def is_in_update(columns: Columns) -> Flags:
    """Marks the live memories that update another live one, or are updated by one."""
    edges, find, live = columns.edges, columns.finder(), is_live(columns)
    of_type = np.array([name == "supersedes" for name in columns.types] or [False])
    places = np.flatnonzero(of_type[edges["type"]])
    source, target = find(edges["source"][places]), find(edges["target"][places])
    both = live[source] & live[target]
    marked = np.zeros(columns.size, dtype=np.bool_)
    marked[source[both]] = True
    marked[target[both]] = True
    return marked


def is_mergeable(columns: Columns, *, now: int) -> Flags:
    """Marks the memories that an unattended run may merge.

    Nobody minds finding them under another id: they are current knowledge that fades, neither
    pinned, protected nor young, nor used in the last three stabilities. Of two statements of which
    one updates the other, neither: the link between them says which is current.
    """
    memories = columns.memories
    decaying = np.array([kind_profile(kind).decays for kind in columns.kinds] or [False])[
        memories["kind"]
    ]
    may = is_live(columns) & decaying & ~is_source(columns)
    may &= ~(
        memories["superseded"]
        | memories["pinned"]
        | memories["protected"]
        | is_expired(columns, now)
        | is_in_update(columns)
    )
    may &= now - memories["created_at"] >= guards.YOUNG_DAYS * MICROS_PER_DAY
    return np.asarray(may & ~is_recently_used(memories, now))


def find_orphans(columns: Columns, *, now: int, without: Slots) -> Slots:
    """Returns the slots of live memories older than 30 days, never used and without links.

    Links at the places `without` do not count.
    """
    edges, find, memories = columns.edges, columns.finder(), columns.memories
    left = np.ones(len(edges["source"]), dtype=np.bool_)
    left[without] = False
    links = degrees(columns.size, find(edges["source"][left]), find(edges["target"][left]))
    alone = (
        is_live(columns)
        & (links == 0)
        & (memories["last_used_at"] == NEVER)
        & (memories["access_count"] == 0)
    )
    alone &= ~(memories["pinned"] | memories["protected"])
    return np.flatnonzero(alone & (now - memories["created_at"] > ORPHAN_DAYS * MICROS_PER_DAY))
