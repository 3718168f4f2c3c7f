"""The nearest of many vectors against the plain way of finding them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.store.scan import (
    BLOCK,
    estimate_products,
    exact_nearest,
    hamming_nearest,
    in_steps,
    sign_bits,
    widen,
)
from glymph.store.view import BLUR


def made(count, dimension, seed):
    random = np.random.default_rng(seed)
    return random.normal(size=(count, dimension)).astype(np.float32)


@given(
    count=st.integers(0, 60), dimension=st.integers(1, 70), limit=st.integers(1, 20), share=st.floats(0.0, 1.0),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_the_exact_scan_finds_the_largest_products_of_what_passes(
    count, dimension, limit, share, seed
):
    matrix, query = made(count, dimension, seed), made(1, dimension, seed + 1)[0]
    passing = np.random.default_rng(seed).random(count) < share
    slots, products = exact_nearest(matrix, query, passing, limit)
    truth = sorted((-float(row @ query), at) for at, row in enumerate(matrix) if passing[at])[
        :limit
    ]
    assert len(slots) == len(truth)
    assert passing[slots].all()
    assert products == pytest.approx([-value for value, _ in truth], abs=1e-4)


def test_of_equal_ones_the_first_comes_first():
    matrix = np.ones((9, 4), dtype=np.float32)
    slots, _ = exact_nearest(matrix, matrix[0], np.ones(9, dtype=bool), 3)
    assert sorted(slots) == list(slots)


@given(
    count=st.integers(1, 60), dimension=st.integers(1, 200), limit=st.integers(1, 20), share=st.floats(0.0, 1.0),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_the_scan_of_signs_finds_those_that_differ_in_the_fewest(
    count, dimension, limit, share, seed
):
    vectors, query = made(count, dimension, seed), made(1, dimension, seed + 1)
    passing = np.random.default_rng(seed).random(count) < share
    bits = sign_bits(vectors)
    assert bits.shape == (-(-dimension // 64), count)
    found = hamming_nearest(bits, sign_bits(query)[:, 0], passing, limit)
    distances = ((vectors > 0) != (query > 0)).sum(axis=1)
    assert passing[found].all()
    assert len(set(found.tolist())) == len(found) == min(limit, passing.sum())
    assert sorted(distances[found]) == sorted(distances[passing])[:limit]


def test_blocks_leave_no_seam():
    vectors = made(BLOCK + 3, 64, 1)
    everything = np.ones(len(vectors), dtype=bool)
    for at in (0, BLOCK - 1, BLOCK, BLOCK + 2):
        found = hamming_nearest(
            sign_bits(vectors), sign_bits(vectors[at : at + 1])[:, 0], everything, 1
        )
        assert found.tolist() == [at]


def test_bytes_tell_a_cosine_to_less_than_the_blur_that_is_allowed_for():
    vectors, query = made(3_000, 384, 1), made(1, 384, 2)[0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query /= np.linalg.norm(query)
    numbers, steps = in_steps(vectors)
    codes = numbers.astype(np.int8)
    assert np.array_equal(codes, numbers)
    assert np.abs(estimate_products(codes, steps, query) - vectors @ query).max() < BLUR


def test_every_finite_number_of_two_bytes_is_widened_as_numpy_does_it():
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)].reshape(-1, 64)
    assert np.array_equal(widen(finite).view(np.uint32), finite.astype(np.float32).view(np.uint32))


def test_a_vector_of_nothing_stays_nothing_in_bytes():
    numbers, steps = in_steps(np.zeros((2, 5), dtype=np.float32))
    assert not numbers.any()
    assert not estimate_products(numbers.astype(np.int8), steps, np.ones(5, dtype=np.float32)).any()
