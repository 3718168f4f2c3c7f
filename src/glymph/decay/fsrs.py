"""FSRS-6: how memories fade, and how a reported use strengthens them.

The curve and the rules that follow a rating work on numbers and on numpy arrays alike; only the
target of `days_until` and the rating of `initial_difficulty` are single values. The forgetting
curve's exponent belongs to the section; the rules that change stability and difficulty use the
published default weights.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

WEIGHTS = (
    0.212, 1.2931, 2.3065, 8.2956, 6.4133, 0.8334, 3.0194, 0.001, 1.8722, 0.1666, 0.796,
    1.4835, 0.0614, 0.2629, 1.6483, 0.6014, 1.8729, 0.5425, 0.0912, 0.0658, 0.1542,
)  # fmt: skip
DEFAULT_DECAY = WEIGHTS[20]
MIN_STABILITY = 0.001
MIN_DIFFICULTY, MAX_DIFFICULTY = 1.0, 10.0

ACTIVE_FROM = 0.90
WEAK_FROM = 0.80


class Rating(IntEnum):
    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


def curve_factor(decay: ArrayLike) -> Floats:
    """Returns the factor that makes retrievability exactly 0.9 after one stability."""
    return np.asarray(0.9 ** (-1.0 / np.asarray(decay, dtype=np.float64)) - 1.0)


def retrievability(
    days: ArrayLike, stability: ArrayLike, decay: ArrayLike = DEFAULT_DECAY
) -> Floats:
    """Returns the probability in (0, 1] that a memory last used `days` ago is still to hand."""
    elapsed = np.maximum(np.asarray(days, dtype=np.float64), 0.0)
    exponent = np.asarray(decay, dtype=np.float64)
    return np.asarray((1.0 + curve_factor(exponent) * elapsed / np.asarray(stability)) ** -exponent)


def days_until(target: float, stability: ArrayLike, decay: ArrayLike = DEFAULT_DECAY) -> Floats:
    """Days of disuse after which retrievability has fallen to `target`."""
    exponent = np.asarray(decay, dtype=np.float64)
    return np.asarray(stability) / curve_factor(exponent) * (target ** (-1.0 / exponent) - 1.0)


def initial_difficulty(rating: Rating) -> float:
    """Difficulty of a memory whose first rating this is."""
    return float(np.clip(_raw_initial_difficulty(rating), MIN_DIFFICULTY, MAX_DIFFICULTY))


def _raw_initial_difficulty(rating: Rating) -> float:
    return float(WEIGHTS[4] - np.exp(WEIGHTS[5] * (int(rating) - 1)) + 1.0)


def next_difficulty(difficulty: ArrayLike, rating: ArrayLike) -> Floats:
    """Returns the difficulty after a rating.

    It is damped near the hard end, and drawn slowly towards that of an easy start.
    """
    d = np.asarray(difficulty, dtype=np.float64)
    step = -WEIGHTS[6] * (np.asarray(rating, dtype=np.float64) - 3.0)
    moved = d + (10.0 - d) * step / 9.0
    reverted = WEIGHTS[7] * _raw_initial_difficulty(Rating.EASY) + (1.0 - WEIGHTS[7]) * moved
    return np.clip(reverted, MIN_DIFFICULTY, MAX_DIFFICULTY)


def next_stability(
    stability: ArrayLike,
    difficulty: ArrayLike,
    rating: ArrayLike,
    *,
    days: ArrayLike,
    decay: ArrayLike = DEFAULT_DECAY,
    scale: ArrayLike = 1.0,
) -> Floats:
    """Returns the stability after a rating given `days` after the last one.

    Under one day the short-term rule applies. `scale` stretches the curve that says how retrievable
    it was by then, and nothing else.
    """
    s = np.asarray(stability, dtype=np.float64)
    d = np.asarray(difficulty, dtype=np.float64)
    g = np.asarray(rating, dtype=np.float64)
    elapsed = np.asarray(days, dtype=np.float64)
    r = retrievability(elapsed, s * np.asarray(scale, dtype=np.float64), decay)
    later = np.where(g == Rating.AGAIN, _after_lapse(s, d, r), _after_success(s, d, r, g))
    return np.maximum(np.where(elapsed < 1.0, _same_day(s, g), later), MIN_STABILITY)


def _after_success(s: Floats, d: Floats, r: Floats, g: Floats) -> Floats:
    growth = (
        np.exp(WEIGHTS[8]) * (11.0 - d) * s ** -WEIGHTS[9] * (np.exp((1.0 - r) * WEIGHTS[10]) - 1.0)
    )
    grade = np.where(g == Rating.HARD, WEIGHTS[15], 1.0) * np.where(
        g == Rating.EASY, WEIGHTS[16], 1.0
    )
    return np.asarray(s * (1.0 + growth * grade))


def _after_lapse(s: Floats, d: Floats, r: Floats) -> Floats:
    long_term = (
        WEIGHTS[11]
        * d ** -WEIGHTS[12]
        * ((s + 1.0) ** WEIGHTS[13] - 1.0)
        * np.exp((1.0 - r) * WEIGHTS[14])
    )
    return np.asarray(np.minimum(long_term, s / np.exp(WEIGHTS[17] * WEIGHTS[18])))


def _same_day(s: Floats, g: Floats) -> Floats:
    increase = np.exp(WEIGHTS[17] * (g - 3.0 + WEIGHTS[18])) * s ** -WEIGHTS[19]
    return np.asarray(s * np.where(g >= Rating.HARD, np.maximum(increase, 1.0), increase))
