"""Need: how often and how recently, from what a memory's row holds."""

from __future__ import annotations

import numpy as np
import pytest

from glymph.decay.need import ODDS, SOON, Odds, activation, chance, fit_odds
from glymph.moments import MICROS_PER_DAY

NOW = 1_000 * MICROS_PER_DAY


def ago(days):
    return NOW - days * MICROS_PER_DAY


def one(uses, made, last):
    return float(activation([uses], [ago(made)], [ago(last)], now=NOW)[0])


def exact(*ages):
    return float(np.log(sum((age + SOON) ** -0.5 for age in ages)))


def test_a_memory_never_used_has_only_the_trace_of_its_making():
    assert one(0, 30, 30) == pytest.approx(exact(30))
    unused = activation([0, 0], [ago(30), ago(30)], [np.nan, ago(30)], now=NOW)
    assert unused == pytest.approx([exact(30)] * 2)


def test_the_estimate_is_near_the_sum_over_every_use_when_uses_are_spread_evenly():
    ages = np.linspace(100, 2, 25)
    assert one(24, 100, 2) == pytest.approx(exact(*ages), abs=0.05)


def test_more_uses_and_later_ones_mean_more_need():
    assert one(5, 50, 10) > one(2, 50, 10)
    assert one(5, 50, 2) > one(5, 50, 10)
    assert one(5, 20, 10) > one(5, 50, 10), "the same uses in a shorter life"


def test_a_clock_set_back_or_a_count_below_zero_does_no_harm():
    odd = activation([3, 3, -1], [ago(-5), ago(1), ago(9)], [ago(2), ago(-5), ago(9)], now=NOW)
    assert np.isfinite(odd).all()
    assert odd[0] == pytest.approx(float(np.log(4 * (2 + SOON) ** -0.5)))
    assert odd[2] == pytest.approx(exact(9))


def test_chances_grow_with_activation_and_stay_between_0_and_1():
    chances = chance(
        activation([0, 0, 30], [ago(900), ago(1), ago(40)], [ago(900), ago(1), ago(0)], now=NOW)
    )
    assert 0 < chances[0] < chances[1] < chances[2] < 1
    assert chances[0] < 0.05
    assert chance([0.0], Odds(base=0.0, slope=1.0)) == pytest.approx([0.5])


def test_odds_are_found_again_from_what_they_made_happen():
    random = np.random.default_rng(3)
    x = random.normal(-1, 1, 20_000)
    found = fit_odds(x, random.random(20_000) < chance(x, Odds(base=-1.0, slope=0.7)))
    assert (found.base, found.slope) == pytest.approx((-1.0, 0.7), abs=0.08)
    assert ODDS.slope > 0


def test_odds_stay_finite_where_activation_tells_everything():
    found = fit_odds([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    assert 1 < found.slope < 1_000
    assert chance([-2.0, 2.0], found) == pytest.approx([0.0, 1.0], abs=0.05)
    assert fit_odds([0.5, 0.7], [1, 1]).base > 0


def test_no_memories_have_no_need():
    assert activation([], [], [], now=NOW).shape == (0,)
