"""Need: how likely a memory is to be used again, from how often and how recently it was.

Base-level activation (ACT-R): every use leaves a trace that fades with the square root of its age,
and the traces add up. A memory's row does not hold the moment of each use, only their number, the
last one and its making. Petrov's form of the sum needs no more: the last use counts exactly, all
earlier ones as if spread evenly between the making and the last.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glymph.moments import MICROS_PER_DAY

STEPS = 25  # far more than it takes
CAUTION = 1e-3  # keeps the odds finite where activation tells all uses from all others
SOON = 0.5  # days added to each age: what happened just now counts for much, but not for everything

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Odds:
    """The way activation becomes a chance: the log of the odds is a straight line of it."""

    base: float
    slope: float


# Of a use within thirty days, from the file histories of two code repositories that count the same.
ODDS = Odds(base=-1.56, slope=1.10)


def activation(
    uses: ArrayLike, created_at: ArrayLike, last_used_at: ArrayLike, *, now: int
) -> Floats:
    """Returns the log of what all uses have left by now, for each memory.

    The making counts as a use.

    Moments are microseconds; a memory never used has its making, or NaN, for its last use.
    """
    count = np.maximum(np.asarray(uses, dtype=np.float64), 0.0)
    made = np.asarray(created_at, dtype=np.float64)
    last = np.asarray(last_used_at, dtype=np.float64)
    last = np.where(np.isnan(last), made, last)
    since_last = np.sqrt(_days(last, now))
    # A clock set back must not make the first use younger than the last.
    since_first = np.maximum(np.sqrt(_days(made, now)), since_last)
    result: Floats = np.log(1 / since_last + 2 * count / (since_first + since_last))
    return result


def chance(activations: ArrayLike, odds: Odds = ODDS) -> Floats:
    """Returns the chance of being used again soon, between 0 and 1."""
    logits = odds.base + odds.slope * np.asarray(activations, dtype=np.float64)
    result: Floats = 0.5 * (
        1 + np.tanh(0.5 * logits)
    )  # the logistic function, which cannot overflow in this form
    return result


def fit_odds(activations: ArrayLike, used: ArrayLike) -> Odds:
    """Returns the odds under which what was used, and what was not, is least surprising.

    By Newton's method.
    """
    x, y = np.asarray(activations, dtype=np.float64), np.asarray(used, dtype=np.float64)
    columns = np.stack([np.ones_like(x), x])
    line = np.zeros(2)
    for _ in range(STEPS):
        expected = chance(x, Odds(*line.tolist()))
        slope = columns @ (y - expected) - CAUTION * line
        bend = (columns * (expected * (1 - expected))) @ columns.T + CAUTION * np.eye(2)
        line = line + np.linalg.solve(bend, slope)
    return Odds(*line.tolist())


def _days(moment: Floats, now: int) -> Floats:
    return np.maximum((now - moment) / MICROS_PER_DAY, 0.0) + SOON
