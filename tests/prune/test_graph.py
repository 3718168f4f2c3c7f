"""The graph in arrays: components against a plain union-find, communities, weights that fade."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph.decay.edges import DEFAULT_WEIGHTS, LASTING, effective_weight
from glymph.prune import graph

TYPES = list(DEFAULT_WEIGHTS)


@st.composite
def graphs(draw, most=40):
    """A number of memories, and links between them as sources, targets and weights."""
    count = draw(st.integers(1, most))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(
        lambda pair: pair[0] != pair[1]
    )
    pairs = draw(st.lists(ends, max_size=3 * count)) if count > 1 else []
    weights = draw(
        st.lists(
            st.sampled_from([0.2, 0.45, 0.5, 0.9, 1.0]), min_size=len(pairs), max_size=len(pairs)
        )
    )
    source, target = (np.array([pair[end] for pair in pairs], dtype=np.int64) for end in (0, 1))
    return count, source, target, np.array(weights, dtype=np.float64)


def union_find(count, source, target):
    root = list(range(count))

    def find(one):
        while root[one] != one:
            one = root[one]
        return one

    for one, other in zip(source.tolist(), target.tolist(), strict=True):
        low, high = sorted((find(one), find(other)))
        root[high] = low
    return [find(one) for one in range(count)]


def planted(clusters, size, *, inside, bridges, seed=3):
    """Clusters of equal size with some links inside for each memory, and some from each to others."""
    random = np.random.default_rng(seed)
    count = clusters * size
    truth = np.repeat(np.arange(clusters), size)
    source = np.repeat(np.arange(count), inside)
    target = truth[source] * size + random.integers(size, size=len(source))
    far = random.integers(count, size=(2, clusters * bridges))
    source, target = np.concatenate([source, far[0]]), np.concatenate([target, far[1]])
    fine = source != target
    return count, source[fine], target[fine], np.full(int(fine.sum()), 0.5), truth


def shared_information(one, other):
    """Normalised mutual information: 1 if two partitions are the same."""

    def entropy(labels):
        shares = np.unique(labels, return_counts=True)[1] / len(labels)
        return -(shares * np.log(shares)).sum()

    both = entropy(
        np.unique(one, return_inverse=True)[1] * len(one) + np.unique(other, return_inverse=True)[1]
    )
    return 2 * (entropy(one) + entropy(other) - both) / (entropy(one) + entropy(other))


@given(graphs())
def test_components_are_those_of_a_plain_union_find(drawn):
    count, source, target, _ = drawn
    assert graph.components(count, source, target).tolist() == union_find(count, source, target)


def test_a_chain_is_one_component():
    numbers = np.random.default_rng(1).permutation(3_000)
    assert set(graph.components(3_000, numbers[:-1], numbers[1:]).tolist()) == {0}


@given(graphs(), st.integers(2, 12))
def test_communities_part_each_component_into_pieces_that_hang_together(drawn, largest):
    count, source, target, weight = drawn
    label = graph.communities(count, source, target, weight, largest=largest)
    whole = graph.components(count, source, target)
    assert (whole[label] == whole).all(), "a community reaches into another component"
    assert np.bincount(label).max() <= largest
    inside = label[source] == label[target]
    assert graph.components(count, source[inside], target[inside]).tolist() == label.tolist()


@given(graphs())
def test_communities_do_not_depend_on_chance(drawn):
    count, source, target, weight = drawn
    first, second = (graph.communities(count, source, target, weight, largest=5) for _ in range(2))
    assert first.tolist() == second.tolist()


@given(graphs(), st.integers(2, 12))
def test_only_what_is_too_large_is_parted(drawn, largest):
    count, source, target, weight = drawn
    whole = graph.components(count, source, target)
    found = graph.groups(count, source, target, weight, largest=largest)
    sizes = np.bincount(whole, minlength=count)[whole]
    assert (found[sizes <= largest] == whole[sizes <= largest]).all()
    assert np.bincount(found).max() <= max(largest, 1)


@pytest.mark.parametrize(("size", "least"), [(10, 0.9), (40, 0.95), (150, 0.85)])
def test_planted_clusters_are_found_again(size, least):
    count, source, target, weight, truth = planted(6_000 // size, size, inside=4, bridges=3)
    assert np.bincount(graph.components(count, source, target)).max() > 0.9 * count  # one tangle
    found = graph.groups(count, source, target, weight)
    assert shared_information(found, truth) >= least
    assert np.bincount(found).max() <= graph.LARGEST


def test_a_component_of_two_hundred_stays_whole_and_a_larger_one_does_not():
    for size, whole in ((200, True), (201, False)):
        ring = np.arange(size)
        found = graph.groups(size, ring, (ring + 1) % size, np.ones(size))
        assert (len(set(found.tolist())) == 1) is whole


def test_a_star_is_parted_into_its_centre_with_some_and_the_rest():
    count = 1_000
    found = graph.groups(
        count, np.zeros(count - 1, dtype=np.int64), np.arange(1, count), np.ones(count - 1)
    )
    assert np.bincount(found).max() <= graph.LARGEST


def test_degree_and_centrality_count_links():
    source, target = np.array([0, 1, 2, 3]), np.array([3, 3, 3, 0])
    assert graph.degrees(5, source, target).tolist() == [2, 1, 1, 4, 0]
    assert graph.centrality(5, target).tolist() == pytest.approx([1 / 3, 0, 0, 1, 0])
    assert graph.centrality(2, np.zeros(0, dtype=np.int64)).tolist() == [0, 0]


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.floats(0.01, 1), st.sampled_from(TYPES), st.floats(-5, 2_000)), min_size=1
    )
)
def test_weights_of_many_links_are_those_of_each(links):
    weight, types, days = zip(*links, strict=True)
    found = graph.effective_weights(
        np.array(weight),
        np.array([TYPES.index(name) for name in types]),
        names=TYPES,
        days=np.array(days),
    )
    assert found.tolist() == pytest.approx([effective_weight(*link) for link in links], rel=1e-12)


@given(st.floats(0.01, 1), st.sampled_from(TYPES), st.floats(0, 1_000), st.floats(0.5, 1_000))
def test_an_effective_weight_fades_unless_its_type_lasts(weight, name, days, more):
    early, late = graph.effective_weights(
        np.array([weight, weight]),
        np.zeros(2, dtype=np.int64),
        names=[name],
        days=np.array([days, days + more]),
    ).tolist()
    assert late == early == weight if name in LASTING else late < early <= weight
