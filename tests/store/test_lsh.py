"""Near pairs: nearly all of those that comparing each with each finds.

None that it does not, never too many.
"""

from __future__ import annotations

import numpy as np
import pytest

from glymph.store import lsh
from glymph.store.lsh import near_pairs

DIMENSION = 384
MANY = 5_000


def unit(vectors):
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def crowd(count, *, seed=1, around=0.5, planted=500):
    """Vectors around a common direction, the last of them each near to one of the first."""
    random = np.random.default_rng(seed)
    common = around * np.sqrt(DIMENSION) * unit(random.standard_normal((1, DIMENSION)))
    vectors = unit(common + random.standard_normal((count, DIMENSION)))
    cosines = random.uniform(0.95, 0.999, planted)[:, None]
    noise = random.standard_normal((planted, DIMENSION))
    originals = vectors[:planted].astype(np.float64)
    noise = unit(noise - (noise * originals).sum(axis=1, keepdims=True) * originals)
    vectors[count - planted :] = unit(cosines * originals + np.sqrt(1 - cosines**2) * noise)
    return vectors


def brute(vectors, least):
    first, second = np.nonzero(np.triu(vectors @ vectors.T >= least, k=1))
    return set(zip(first.tolist(), second.tolist(), strict=True))


def found(vectors, least=0.9, **options):
    first, second, cosines = near_pairs(vectors, least=least, **options)
    assert (first < second).all()
    assert (cosines >= least).all()
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    return set(pairs)


@pytest.mark.parametrize("around", [0.0, 0.5])
def test_nearly_every_near_pair_is_found_and_none_is_invented(around):
    vectors = crowd(MANY, around=around)
    truth = brute(vectors, 0.9)
    assert len(truth) >= 500
    pairs = found(vectors)
    assert pairs <= truth
    assert len(pairs) >= 0.97 * len(truth)


def test_few_are_compared_each_with_each():
    vectors = crowd(1_200, planted=300)
    assert found(vectors) == brute(vectors, 0.9)


def test_stored_halves_are_as_good_as_whole_numbers():
    vectors = crowd(MANY)
    both = found(vectors.astype(np.float16)) & found(vectors)
    assert len(both) >= 0.97 * 500


def test_cosines_are_exact_whatever_the_lengths():
    vectors = crowd(MANY)
    first, second, cosines = near_pairs(vectors * np.float32(3), least=0.9)
    assert np.allclose(cosines, (vectors[first] * vectors[second]).sum(axis=1), atol=1e-5)


def test_the_same_seed_finds_the_same():
    vectors = crowd(MANY)
    once, again = near_pairs(vectors, least=0.9, seed=3), near_pairs(vectors, least=0.9, seed=3)
    assert all((a == b).all() for a, b in zip(once, again, strict=True))
    other = found(vectors, seed=4)
    assert len(other & found(vectors, seed=3)) >= 0.97 * 500


@pytest.mark.parametrize("others", [0, 3_000])
@pytest.mark.parametrize("noise", [0.0, 0.005])
def test_ten_thousand_that_say_the_same_become_a_chain(others, noise):
    random = np.random.default_rng(2)
    same = np.tile(unit(random.standard_normal((1, DIMENSION))), (10_000, 1))
    same += np.float32(noise) * random.standard_normal(same.shape).astype(np.float32)
    planted = crowd(others, planted=300) if others else np.zeros((0, DIMENSION), dtype=np.float32)
    pairs = found(np.concatenate([unit(same), planted]))
    assert len(pairs) <= lsh.MOST * (10_000 + others)
    touched = {end for pair in pairs for end in pair}
    assert sum(number in touched for number in range(10_000)) >= 9_990
    beside = {pair for pair in pairs if pair[0] >= 10_000}
    assert len(beside) >= (0.95 * 300 if others else 0)


def test_a_small_crowd_that_says_the_same_is_bounded_too():
    same = np.tile(unit(np.ones((1, 16))), (1_000, 1))
    assert 999 <= len(found(same)) <= lsh.MOST * 1_000


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_is_near_without_a_second(count):
    assert found(np.ones((count, 8), dtype=np.float32)) == set()


def test_two_are_near_or_not():
    assert found(unit(np.array([[1.0, 0.0], [1.0, 0.1]]))) == {(0, 1)}
    assert found(unit(np.array([[1.0, 0.0], [0.0, 1.0]]))) == set()


def test_vectors_without_a_length_are_near_to_nothing():
    assert found(np.zeros((10, 8), dtype=np.float32)) == set()
    vectors = crowd(MANY)
    vectors[1_000:1_200] = 0
    pairs = found(vectors)
    assert not {end for pair in pairs for end in pair} & set(range(1_000, 1_200))
    assert len(pairs) >= 0.97 * len(brute(vectors, 0.9))


def test_few_dimensions_do():
    random = np.random.default_rng(3)
    vectors = unit(random.standard_normal((MANY, 24)))
    vectors[-200:] = unit(vectors[:200] + 0.03 * random.standard_normal((200, 24)))
    planted = {(number, MANY - 200 + number) for number in range(200)}
    assert len(found(vectors, 0.95) & planted) >= 0.97 * 200
