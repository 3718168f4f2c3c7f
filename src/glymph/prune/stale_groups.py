"""The stalest groups of a space, found from its columns.

It tells what is connected, how stale it is, and what comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from glymph.decay.lifecycle import Curves
from glymph.decay.sections import IDENTITY_KIND
from glymph.model import State
from glymph.prune import graph, staleness
from glymph.prune.marks import REPLACING
from glymph.prune.staleness import Staleness, Vitals
from glymph.store.arrays import STATES, Columns, Flags, Floats, Slots

BLOCK = 1 << 14  # links looked at together

# Marks the memories that a rule selects, given their slots, their groups and how many these are.
Pick = Callable[[Slots, Slots, int], Flags]


@dataclass(frozen=True, slots=True)
class StaleGroup:
    """A group in figures; its members by their keys, oldest first, each with its own figures."""

    keys: Slots
    staleness: float
    parts: Mapping[str, float]  # what each part of the score adds
    scores: Floats  # of the members, each by itself
    vitals: Vitals
    edges: int  # links inside, faded ones included
    active: int
    weak: int
    dormant: int
    days_since_active: float
    mean_uses: float
    isolated: bool  # one memory, which resembles or replaces others at most

    @property
    def mean_retrievability(self) -> float:
        return float(self.vitals.retrievability.mean())


@dataclass(frozen=True, slots=True)
class Ranking:
    """The stalest groups, worst first, and counts of what was looked at."""

    groups: Sequence[StaleGroup]
    stale: int  # groups that pass the threshold, those beyond the longest list included
    memories: int  # live ones; the identity is none of them
    edges: int  # links between them
    connected: int  # groups of memories with links
    isolated: int  # memories in none
    superseded: int  # live ones that a newer statement has replaced: in their groups like others
    archived: int
    trashed: int
    dormant: int  # live ones


@dataclass(frozen=True, slots=True)
class LinkedGroups:
    """The connected groups of live memories, numbered in the order of their first memories."""

    slots: Slots  # the live memories
    group: Slots  # of each of those
    sizes: Slots  # of the groups
    isolated: Flags  # whether a group is one memory, which resembles or replaces others at most
    edges: int  # links between live memories


def rank_linked_groups(
    columns: Columns,
    *,
    curves: Curves,
    now: int,
    min_staleness: float = 0.3,
    max_groups: int = 20,
    include_isolated: bool = False,
    pick: Pick | None = None,
) -> Ranking:
    """Returns the groups of a space that are at least so stale, the stalest first.

    Of equally stale groups the larger comes first, then the older. Live memories only. Superseded
    and expired ones are live until an operation moves them, and are what a prune looks for; the
    identity memory is in no group. Of groups that are less stale, the members that `pick` marks are
    listed.
    """
    tissue = group_by_links(columns)
    found = staleness.measure_vitals(columns.memories, columns.kinds, curves=curves, now=now)
    scores = score_groups(tissue, found)
    ranking = list_stale(
        columns, tissue, found, scores,
        min_staleness=min_staleness, max_groups=max_groups, include_isolated=include_isolated,
    )  # fmt: skip
    if pick is None:
        return ranking
    done = scores.score >= min_staleness
    if not include_isolated:
        done |= tissue.isolated
    marked = pick(tissue.slots, tissue.group, len(tissue.sizes)) & ~done[tissue.group]
    return add_picked(
        ranking, columns, found, tissue.slots[marked], tissue.group[marked], most=max_groups
    )


def rank_other_groups(
    columns: Columns,
    groups: Sequence[Slots],
    *,
    curves: Curves,
    now: int,
    min_staleness: float,
    max_groups: int,
    pick: Pick | None = None,
) -> Ranking:
    """Ranks groups that were made by something else than links; a memory may be in several."""
    groups = sorted(groups, key=lambda members: int(members[0]))  # of equals, the oldest first
    found = staleness.measure_vitals(columns.memories, columns.kinds, curves=curves, now=now)
    sizes = np.array([len(members) for members in groups], dtype=np.int64)
    group = np.repeat(np.arange(len(groups)), sizes)
    slots = np.concatenate([*groups, np.zeros(0, dtype=np.int64)])
    score = staleness.score_groups(found.at(slots), group, len(groups)).score
    passing = score >= min_staleness
    chosen = _worst(np.flatnonzero(passing), score, sizes, max_groups)
    live = _is_grouped(columns)
    states = np.bincount(columns.memories["state"], minlength=len(STATES))
    ranking = Ranking(
        groups=[describe_group(columns, found, groups[number]) for number in chosen],
        stale=int(np.count_nonzero(passing)),
        memories=int(np.count_nonzero(live)),
        edges=find_holding_links(columns).edges,
        connected=len(groups),
        isolated=int(np.count_nonzero(live)) - len(np.unique(slots)),
        superseded=int(np.count_nonzero(columns.memories["superseded"] & live)),
        archived=int(states[STATES.index(State.ARCHIVED)]),
        trashed=int(states[STATES.index(State.TRASHED)]),
        dormant=_count_dormant(found, np.flatnonzero(live)),
    )
    if pick is None or not groups:
        return ranking
    marked = pick(slots, group, len(groups)) & ~passing[group]
    return add_picked(ranking, columns, found, slots[marked], group[marked], most=max_groups)


def add_picked(
    ranking: Ranking, columns: Columns, found: Vitals, slots: Slots, group: Slots, *, most: int
) -> Ranking:
    """Returns the ranking with these members of further groups in it."""
    if not len(slots):
        return ranking
    numbers, own = np.unique(group, return_inverse=True)
    score = staleness.score_groups(found.at(slots), own, len(numbers)).score
    chosen = _worst(np.arange(len(numbers)), score, np.bincount(own), most)
    picked = [describe_group(columns, found, slots[own == number]) for number in chosen]
    both = sorted([*ranking.groups, *picked], key=lambda one: -one.staleness)
    return replace(ranking, groups=both[:most], stale=ranking.stale + len(numbers))


def group_by_links(columns: Columns) -> LinkedGroups:
    """Returns the groups of the live memories by links that hold them together."""
    found = find_holding_links(columns)
    label = graph.groups(columns.size, found.source, found.target, found.weight)
    live = _is_grouped(columns)
    first = (label == np.arange(columns.size)) & live
    slots = np.flatnonzero(live)
    group = (np.cumsum(first) - 1)[label[slots]]
    alone = ~found.linked[first]
    return LinkedGroups(slots, group, np.bincount(group, minlength=len(alone)), alone, found.edges)


def _is_grouped(columns: Columns) -> Flags:
    live = columns.memories["state"] == STATES.index(State.LIVE)
    return np.asarray(live & ~columns.of_kind(IDENTITY_KIND))


@dataclass(frozen=True, slots=True)
class HoldingLinks:
    """The links between live memories that hold a group together, by slots, with their weights."""

    source: Slots
    target: Slots
    weight: Floats
    linked: Flags  # which memories have such a link with a live one, however weak
    edges: int  # links between live memories


def find_holding_links(columns: Columns) -> HoldingLinks:
    """Returns the links that hold groups together."""
    live = _is_grouped(columns)
    linked = np.zeros(columns.size, dtype=np.bool_)
    room, held, edges = _Links.of(len(columns.edges["source"])), 0, 0
    for some in _links(columns):
        between = live[some.source]
        between &= live[some.target]
        edges += int(np.count_nonzero(between))
        between &= some.weight > 0
        linked[some.source[between]] = linked[some.target[between]] = True
        between &= some.weight >= graph.CONNECTING
        held = room.put(held, some, between)
    return HoldingLinks(room.source[:held], room.target[:held], room.weight[:held], linked, edges)


@dataclass(frozen=True, slots=True)
class _Links:
    source: Slots
    target: Slots
    weight: Floats

    @classmethod
    def of(cls, count: int) -> _Links:
        """Makes room for that many."""
        return cls(
            np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64), np.empty(count)
        )

    def put(self, at: int, some: _Links, chosen: Flags) -> int:
        """Takes in the chosen ones from a place on and returns where they end."""
        places = np.flatnonzero(chosen)
        end = at + len(places)
        np.take(some.source, places, out=self.source[at:end], mode="clip")
        np.take(some.target, places, out=self.target[at:end], mode="clip")
        np.take(some.weight, places, out=self.weight[at:end], mode="clip")
        return end


def _links(columns: Columns) -> Iterator[_Links]:
    """Yields all links as slots with the weights they were made with, some at a time.

    A group that fades together stays one: its links do not come apart when it has become stale. A
    link that says its target is replaced or repeated holds nothing together. Some links fit into a
    cache, millions do not.
    """
    edges, find = columns.edges, columns.finder()
    holds = np.array([name not in REPLACING for name in columns.types] or [False], dtype=float)
    for at in range(0, len(edges["source"]), BLOCK):
        some = {
            name: edges[name][at : at + BLOCK] for name in ("source", "target", "type", "weight")
        }
        weight = some["weight"] * holds[some["type"]]
        yield _Links(find(some["source"]), find(some["target"]), weight)


def score_groups(tissue: LinkedGroups, found: Vitals) -> Staleness:
    """Returns the staleness of each group."""
    return staleness.score_groups(found.at(tissue.slots), tissue.group, len(tissue.sizes))


def list_stale(
    columns: Columns,
    tissue: LinkedGroups,
    found: Vitals,
    scores: Staleness,
    *,
    min_staleness: float,
    max_groups: int,
    include_isolated: bool,
) -> Ranking:
    """Returns the stalest groups with their members, and the counts."""
    score = scores.score
    passing = score >= min_staleness
    if not include_isolated:
        passing &= ~tissue.isolated
    candidates = np.flatnonzero(passing)
    chosen = _worst(candidates, score, tissue.sizes, max_groups)
    isolated = int(np.count_nonzero(tissue.isolated))
    states = np.bincount(columns.memories["state"], minlength=len(STATES))
    return Ranking(
        groups=_describe_chosen(columns, tissue, found, scores, chosen),
        stale=len(candidates),
        memories=len(tissue.slots),
        edges=tissue.edges,
        connected=len(tissue.sizes) - isolated,
        isolated=isolated,
        superseded=int(np.count_nonzero(columns.memories["superseded"][tissue.slots])),
        archived=int(states[STATES.index(State.ARCHIVED)]),
        trashed=int(states[STATES.index(State.TRASHED)]),
        dormant=_count_dormant(found, tissue.slots),
    )


def _count_dormant(found: Vitals, slots: Slots) -> int:
    return int(np.count_nonzero(staleness.is_dormant(found.at(slots).retrievability)))


def _worst(candidates: Slots, score: Floats, sizes: Slots, most: int) -> Slots:
    """Returns the first of the candidates by score, then by size, then by age."""
    if 0 < most < len(candidates):  # sorting them all would cost more than scoring them
        least = np.partition(score[candidates], len(candidates) - most)[len(candidates) - most]
        candidates = candidates[score[candidates] >= least]
    return candidates[np.lexsort((candidates, -sizes[candidates], -score[candidates]))[:most]]


def _describe_chosen(
    columns: Columns, tissue: LinkedGroups, found: Vitals, scores: Staleness, chosen: Slots
) -> list[StaleGroup]:
    """Returns the chosen groups with all their figures."""
    if not len(chosen):
        return []
    place = np.full(len(tissue.sizes), -1)
    place[chosen] = np.arange(len(chosen))
    of_live = place[tissue.group]
    some = np.flatnonzero(of_live >= 0)
    some = some[np.argsort(of_live[some], kind="stable")]
    members = np.split(
        tissue.slots[some], np.searchsorted(of_live[some], np.arange(1, len(chosen)))
    )
    edges = _edges_inside(columns, members)
    return [
        _group(
            columns,
            found.at(slots),
            slots,
            scores,
            int(number),
            edges=inside,
            isolated=bool(tissue.isolated[number]),
        )
        for number, slots, inside in zip(chosen, members, edges, strict=True)
    ]


def _edges_inside(columns: Columns, members: Sequence[Slots]) -> list[int]:
    """Returns how many links have both ends in each of some groups."""
    place = np.full(columns.size, -1, dtype=np.int32)
    for number, slots in enumerate(members):
        place[slots] = number
    find, found = columns.finder(), np.zeros(len(members), dtype=np.int64)
    for at in range(0, len(columns.edges["source"]), BLOCK):
        source = place[find(columns.edges["source"][at : at + BLOCK])]
        inside = np.flatnonzero(source >= 0)
        target = place[find(columns.edges["target"][at + inside])]
        found += np.bincount(target[source[inside] == target], minlength=len(members))
    counts: list[int] = found.tolist()
    return counts


def describe_group(columns: Columns, found: Vitals, slots: Slots) -> StaleGroup:
    """Returns the group of these memories, whatever made them one."""
    own = found.at(slots)
    scores = staleness.score_group(own)
    inside = _edges_inside(columns, [slots])[0]
    return _group(columns, own, slots, scores, 0, edges=inside, isolated=False)


def _group(
    columns: Columns,
    own: Vitals,
    slots: Slots,
    scores: Staleness,
    number: int,
    *,
    edges: int,
    isolated: bool,
) -> StaleGroup:
    active = int(np.count_nonzero(staleness.is_active(own.retrievability)))
    dormant = int(np.count_nonzero(staleness.is_dormant(own.retrievability)))
    return StaleGroup(
        keys=columns.memories["key"][slots],
        staleness=float(scores.at(number).score),
        parts=scores.parts(number),
        scores=staleness.score_memories(own).score,
        vitals=own,
        edges=edges,
        active=active,
        weak=len(slots) - active - dormant,
        dormant=dormant,
        days_since_active=float(own.days.min()),
        mean_uses=float(own.uses.mean()),
        isolated=isolated,
    )
