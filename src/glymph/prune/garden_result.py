"""What the gardener looks for, by figures alone, and what it gives back: faded links, duplicates,
orphans.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from glymph.decay.edges import LASTING
from glymph.decay.sections import kind_profile
from glymph.model import Refusal
from glymph.moments import MICROS_PER_DAY
from glymph.prune.dormancy import is_expired, is_live, is_source, recently_used
from glymph.prune.graph import degrees, effective_weights
from glymph.store import guards
from glymph.store.arrays import NEVER, Columns, Flags, Slots

LEAST = 0.1  # effective weight below which a link goes
STAYING = LASTING | {
    "contradicts"
}  # it fades, but keeps what it joins from being taken for the same
ORPHAN_DAYS = 30
TOGETHER = 20  # memories that become one at a time


@dataclass(frozen=True, slots=True)
class Joined:
    """Memories that said the same and became one; of a dry run, those that would."""

    id: str | None  # what they became; None in a dry run
    title: str
    parts: tuple[str, ...]  # archived, and chained to it
    reason: str


@dataclass(frozen=True, slots=True)
class Orphan:
    """A memory without any link that nobody ever used."""

    id: str
    title: str
    kind: str
    age_days: float


@dataclass(frozen=True, slots=True)
class Gardened:
    """What a run of the gardener did, or what a dry run would do. `operation_id` is the way back
    for all of it.
    """

    dry_run: bool = False
    links_dropped: Mapping[str, int] = field(default_factory=dict)  # by type
    merged: tuple[Joined, ...] = ()
    kept: tuple[Refusal, ...] = ()  # near enough to be duplicates, and left alone all the same
    held_back: int = 0  # groups that wait because of the cap of unattended runs
    not_compared: str | None = None  # why duplicates were not looked for
    orphans: tuple[Orphan, ...] = ()  # the oldest of them; left as they are
    orphan_count: int = 0
    chunks_written: int = 0  # of the columns that analyses read
    other_vectors: int = (
        0  # of models that this handle does not use; left, for another handle may use them
    )
    operation_id: str | None = None

    @property
    def links(self) -> int:
        return sum(self.links_dropped.values())

    @property
    def archived(self) -> int:
        """Memories that left life because another one says what they say."""
        return sum(len(one.parts) for one in self.merged)

    @property
    def told(self) -> str:
        """The run in a few words."""
        would = "would be " if self.dry_run else ""
        parts = [
            f"{self.links} faded {'link' if self.links == 1 else 'links'} {would}dropped",
            f"{self.archived} {'memory' if self.archived == 1 else 'memories'} {would}merged into others",
        ]
        if self.held_back:
            parts.append(f"{self.held_back} groups held back by the cap of unattended runs")
        if self.orphan_count:
            parts.append(
                f"{self.orphan_count} never used and without any link for {ORPHAN_DAYS} days"
            )
        told = f"{', '.join(parts)}."
        return (
            f"{told} Duplicates were not looked for: {self.not_compared}"
            if self.not_compared
            else told
        )


@dataclass(frozen=True, slots=True)
class Cleared:
    """What was cleared away while the agent was idle."""

    ran: bool
    why: str  # it ran, or did not
    yielded: bool = False  # the agent came back, and the rest waits
    batches: int = 0
    links_dropped: int = 0
    merged: tuple[Joined, ...] = ()
    chunks_written: int = 0
    operation_id: str | None = None


def faded(columns: Columns, *, now: int) -> Slots:
    """The places of links that have faded so far that they go, by their weight today.

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


def mergeable(columns: Columns, *, now: int) -> Flags:
    """Which memories nobody minds to find under another id: those a run that nobody reviews may
    merge.

    Current knowledge that fades; neither pinned, protected nor young, nor used in the last three
    stabilities.
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
    )
    may &= now - memories["created_at"] >= guards.YOUNG_DAYS * MICROS_PER_DAY
    return np.asarray(may & ~recently_used(memories, now))


def orphans(columns: Columns, *, now: int, without: Slots) -> Slots:
    """The slots of live memories older than 30 days that were never used and have no link but those
    `without`.
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


def alike(pairs: Iterable[tuple[str, str]], *, most: int = TOGETHER) -> list[tuple[str, ...]]:
    """Groups in which each is a pair with each other one, made from the first pairs on; no two
    share a member.
    """
    given = [(a, b) for a, b in pairs if a != b]
    known = {frozenset(pair) for pair in given}
    group_of: dict[str, list[str]] = {}
    found: list[list[str]] = []
    for a, b in given:
        if a in group_of and b in group_of:
            continue
        if a not in group_of and b not in group_of:
            group_of[a] = group_of[b] = [a, b]
            found.append(group_of[a])
            continue
        group, new = (group_of[a], b) if a in group_of else (group_of[b], a)
        if len(group) < most and all(frozenset((new, one)) in known for one in group):
            group.append(new)
            group_of[new] = group
    return [tuple(group) for group in found]


def all_text(texts: Collection[str]) -> str:
    """What texts say, one after the other; one that another holds word for word is not repeated."""
    stripped = list(dict.fromkeys(text.strip() for text in texts))
    return "\n\n".join(
        text for text in stripped if not any(text != other and text in other for other in stripped)
    )
