"""Student's t distribution, held against scipy's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from glymph.learn.student import chance_beyond


@given(st.floats(0, 1e4), st.integers(1, 2_000))
def test_the_chance_is_that_of_scipy(value, freedom):
    expected = 2 * student.sf(value, freedom)
    assert chance_beyond(value, freedom) == pytest.approx(expected, rel=1e-8, abs=1e-12)


def test_the_ends():
    assert chance_beyond(0.0, 3) == 1.0
    assert chance_beyond(math.inf, 3) == 0.0
    assert math.isnan(chance_beyond(math.nan, 3))
