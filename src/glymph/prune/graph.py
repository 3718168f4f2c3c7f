"""The graph of a space in arrays: weights today, components, and communities of large ones.

Memories are slots from 0; a link is a place in arrays of sources, targets and weights. Everything
here gives the same answer for the same arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from glymph.decay.edges import HALF_LIFE_DAYS, LASTING
from glymph.store.arrays import Flags, Floats, Slots

CONNECTING = 0.2  # effective weight below which a link does not hold a group together
# memories in a group; a component with more is split. A fifth of a space of 1,000 is as many.
LARGEST = 200
# the share of its ties up to which a community may have ties outside and still be left alone
SETTLED = 0.3
ROUNDS = 40  # of merging, at most
FEW = 0.01  # the share of communities that a round must do away with for another to follow
MANY = (
    200_000  # values from which sorting them whole beats sorting what is nearly in order by places
)


def effective_weights(
    weight: Floats, types: Slots, *, names: Sequence[str], days: Floats
) -> Floats:
    """Returns the weights of links today.

    `days` are those since both ends were last used together, or since the link was made. `types`
    are places in `names`. Never negative days, and no fading of types that last.
    """
    fading = np.array(
        [0.0 if name in LASTING else -1.0 / HALF_LIFE_DAYS for name in names] or [0.0]
    )
    found = np.maximum(days, 0.0)
    found *= fading[
        types
    ]  # in place from here on: with millions of links, new memory costs more than arithmetic
    np.exp2(found, out=found)
    found *= weight
    return found


def degrees(count: int, source: Slots, target: Slots) -> Slots:
    """Returns how many links end at each memory, either way."""
    return np.bincount(source, minlength=count) + np.bincount(target, minlength=count)


def centrality(count: int, target: Slots) -> Floats:
    """Returns how many links point at each memory, as a share of the most that point at one."""
    pointed = np.bincount(target, minlength=count)
    return np.asarray(pointed / max(int(pointed.max(initial=0)), 1))


def components(count: int, source: Slots, target: Slots) -> Slots:
    """Returns the label of each memory's component: the first memory in it.

    Every memory hooks onto a smaller one it is linked with and looks up who stands at the end of
    that chain; those and the links left between them are a smaller graph of the same kind. In numpy
    that takes a third of the time of scipy's search, and does without importing it.
    """
    label = np.arange(count)
    if not len(source):
        return label
    label[np.maximum(source, target)] = np.minimum(source, target)
    while not np.array_equal(above := label[label], label):
        label = above
    source, target = label[source], label[target]
    between = np.flatnonzero(source != target)
    if len(between):
        source, target = source[between], target[between]
        met = np.zeros(count, dtype=np.bool_)
        met[source] = met[target] = True
        ends, place = np.flatnonzero(met), np.cumsum(met) - 1
        label[ends] = ends[components(len(ends), place[source], place[target])]
        label = label[label]
    return label


def groups(
    count: int, source: Slots, target: Slots, weight: Floats, *, largest: int = LARGEST
) -> Slots:
    """Returns the label of each memory's group.

    That is its component, or its community where the component has more than `largest`.
    """
    label = components(count, source, target)
    tangled = (np.bincount(label, minlength=count) > largest)[label]
    members = np.flatnonzero(tangled)
    if not len(members):
        return label
    inside = np.flatnonzero(tangled[source])
    place = np.zeros(count, dtype=np.int64)
    place[members] = np.arange(len(members))
    found = communities(
        len(members), place[source[inside]], place[target[inside]], weight[inside], largest=largest
    )
    label[members] = members[found]
    return label


# communities


@dataclass(frozen=True, slots=True)
class _Coarse:
    """The communities so far, with the ties between those that may still merge."""

    size: Floats
    ties: Floats  # the weight of all links of the members
    outside: Floats  # of that, what leads elsewhere
    source: Slots
    target: Slots
    weight: Floats


def communities(
    count: int, source: Slots, target: Slots, weight: Floats, *, largest: int = LARGEST
) -> Slots:
    """Returns for each memory the first one of its community.

    No community has more than `largest` memories (at least 2), and each is connected. Communities
    grow from single memories. In each round every one with more than a few of its ties outside
    picks the neighbour it has most in common with (the weight between them over the root of both's
    ties), and whoever hangs together by such picks becomes one; where that were too many, only
    those who picked each other.
    """
    member = np.arange(count)
    ties = _sums(source, weight, count) + _sums(target, weight, count)
    graph = _Coarse(np.ones(count), ties, ties, source, target, weight)
    for _ in range(ROUNDS):
        label = _find_merges(graph, largest)
        if label is None:
            break
        first = label == np.arange(len(label))
        new = (np.cumsum(first) - 1)[label]
        member = new[member]
        left = int(np.count_nonzero(first))
        if left > (1.0 - FEW) * len(label):
            break
        graph = _merge(graph, new, left, largest)
    first_of = np.full(count, count)
    np.minimum.at(first_of, member, np.arange(count))
    return first_of[member]


def _find_merges(graph: _Coarse, largest: int) -> Slots | None:
    """Returns for each community the first of those it merges with.

    Returns None if there is nothing left to merge.
    """
    count = len(graph.size)
    restless = graph.outside > SETTLED * graph.ties
    source, target, weight = graph.source, graph.target, graph.weight
    able = restless[source]
    able |= restless[target]
    if not able.all():
        source, target, weight = source[able], target[able], weight[able]
    if not len(source):
        return None
    scale = 1.0 / np.sqrt(np.maximum(graph.ties, np.finfo(np.float64).tiny))
    common = scale[source]
    common *= scale[target]
    common *= weight
    best = np.zeros(count)
    np.maximum.at(best, source, common)
    np.maximum.at(best, target, common)
    best_here, best_there = common == best[source], common == best[target]
    picks = np.flatnonzero((best_here & restless[source]) | (best_there & restless[target]))
    label = components(count, source[picks], target[picks])
    too_many = np.bincount(label, graph.size, count) > largest
    if too_many.any():
        apart = too_many[label]
        label[apart] = np.flatnonzero(apart)
        mutual = picks[(best_here & best_there)[picks] & apart[source[picks]]]
        one, other = _pairs(count, source[mutual], target[mutual])
        label[np.maximum(one, other)] = np.minimum(one, other)
    return label


def _pairs(count: int, source: Slots, target: Slots) -> tuple[Slots, Slots]:
    """Returns some of these links, of which no two share an end.

    Each of them is the first link at both of its ends.
    """
    first = np.full(count, len(source))
    numbers = np.arange(len(source))
    np.minimum.at(first, source, numbers)
    np.minimum.at(first, target, numbers)
    chosen: Flags = (first[source] == numbers) & (first[target] == numbers)
    return source[chosen], target[chosen]


def _merge(graph: _Coarse, new: Slots, count: int, largest: int) -> _Coarse:
    """Returns the graph with communities under new numbers.

    Inner and dead ties are dropped, and parallel ones are added up.
    """
    size = _sums(new, graph.size, count)
    source, target, weight = new[graph.source], new[graph.target], graph.weight
    inner = np.flatnonzero(source == target)
    outside = _sums(new, graph.outside, count) - 2.0 * _sums(source[inner], weight[inner], count)
    alive = np.flatnonzero((source != target) & (size[source] + size[target] <= largest))
    source, target, weight = source[alive], target[alive], weight[alive]
    if len(source):
        pair = np.minimum(source, target) * count + np.maximum(source, target)
        pair, order = _sort(pair, count * count)
        begins = np.flatnonzero(np.concatenate([[True], pair[1:] != pair[:-1]]))
        weight = np.add.reduceat(weight[order], begins)
        source, target = pair[begins] // count, pair[begins] % count
    return _Coarse(size, _sums(new, graph.ties, count), outside, source, target, weight)


def _sums(group: Slots, values: Floats, count: int) -> Floats:
    return np.asarray(np.bincount(group, values, count), dtype=np.float64)


def _sort(values: Slots, beyond: int) -> tuple[Slots, Slots]:
    """Returns values below a bound in order, and where each was.

    Many values sort twice as fast with the place in the number.
    """
    bits = len(values).bit_length()
    if len(values) < MANY or beyond.bit_length() + bits > 63:
        order = np.argsort(values, kind="stable")
        return values[order], order
    both = values << bits
    both |= np.arange(len(values))
    both.sort()
    return both >> bits, both & ((1 << bits) - 1)
