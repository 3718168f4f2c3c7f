"""Batches by similarity: each item once, limits kept, what is alike together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from glymph.prune.batches import bag_vectors, similar_batches
from tests.pace import must_end

sizes = st.integers(0, 60)


@st.composite
def items(draw):
    """Vectors, many of them copies of each other and some zeros, with costs and limits."""
    points = draw(st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=8))
    chosen = draw(st.lists(st.sampled_from(points), min_size=1, max_size=60))
    costs = draw(st.lists(st.integers(1, 30), min_size=len(chosen), max_size=len(chosen)))
    return (
        np.array(chosen, dtype=np.float32),
        costs,
        draw(st.integers(1, 20)),
        draw(st.integers(1, 200)),
    )


@given(items())
def test_every_item_is_in_one_batch_and_the_limits_hold(given_items):
    vectors, costs, most, most_tokens = given_items
    batches = similar_batches(vectors, costs, most=most, most_tokens=most_tokens)
    assert sorted(place for batch in batches for place in batch) == list(range(len(costs)))
    for batch in batches:
        assert len(batch) <= most
        assert len(batch) == 1 or sum(costs[place] for place in batch) <= most_tokens
    assert batches == similar_batches(vectors, costs, most=most, most_tokens=most_tokens)


@given(items())
def test_exact_copies_meet_whenever_they_fit_in_a_batch(given_items):
    vectors, costs, most, most_tokens = given_items
    batches = similar_batches(vectors, costs, most=most, most_tokens=most_tokens)
    at = {place: number for number, batch in enumerate(batches) for place in batch}
    for point in {tuple(row) for row in vectors.tolist() if any(row)}:
        copies = [place for place, row in enumerate(vectors.tolist()) if tuple(row) == point]
        if len(copies) <= most and sum(costs[place] for place in copies) <= most_tokens:
            assert len({at[place] for place in copies}) == 1


@given(st.lists(st.text(max_size=40), max_size=30))
def test_texts_have_vectors_of_length_one_and_copies_the_very_same(texts):
    vectors = bag_vectors([*texts, *texts])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert vectors[: len(texts)].tobytes() == vectors[len(texts) :].tobytes()


def test_no_items_make_no_batches():
    assert similar_batches(np.zeros((0, 4), dtype=np.float32), []) == []
    assert bag_vectors([]).shape[0] == 0


def test_without_an_embedder_texts_of_the_same_words_meet():
    said = [
        "The billing service runs on port 8443",
        "Anna prefers green tea",
        "Deploys happen on Friday mornings",
    ]
    again = [
        "Port 8443 is where the billing service runs",
        "Green tea is what Anna prefers",
        "On Friday mornings deploys happen",
    ]
    other = [f"Shelf {n} holds crate {n * 31} of aisle {n * 17}" for n in range(54)]
    batches = similar_batches(bag_vectors([*said, *other, *again]), [20] * 60, most=10)
    at = {place: number for number, batch in enumerate(batches) for place in batch}
    assert [at[n] for n in range(3)] == [at[57 + n] for n in range(3)]


def test_batches_are_filled():
    vectors = np.random.default_rng(7).normal(size=(800, 32)).astype(np.float32)
    assert len(similar_batches(vectors, [70] * 800)) <= 12


def test_near_copies_meet_among_thousands():
    random = np.random.default_rng(3)
    originals = random.normal(size=(1500, 256)).astype(np.float32)
    near = originals + 0.1 * random.normal(size=originals.shape).astype(np.float32)
    with must_end():
        batches = similar_batches(np.concatenate([originals, near]), [60] * 3000)
    at = {place: number for number, batch in enumerate(batches) for place in batch}
    assert sum(at[n] == at[n + 1500] for n in range(1500)) >= 1490
