"""The searches for a minimum, held against scipy's."""

from __future__ import annotations

import math

import pytest
from scipy.optimize import minimize, minimize_scalar

from glymph.decay.minimise import minimise, minimise_several


@pytest.mark.parametrize("bounds", [(-1.0, 5.0), (2.5, 9.0), (-4.0, 1.0)])
def test_one_valley_is_found_also_at_a_bound(bounds):
    def cost(x):
        return math.cosh(x - 1.75)

    found = minimize_scalar(cost, bounds=bounds, method="bounded", options={"xatol": 1e-9})
    assert minimise(cost, bounds) == pytest.approx(found.x, abs=1e-4)


@pytest.mark.parametrize(
    "bounds", [[(-3, 3)] * 3, [(0.5, 3), (-3, 3), (-3, -0.2)], [(-3, 3), (-3, -1), (-3, 3)]]
)
def test_several_numbers_are_found_also_at_bounds(bounds):
    def cost(at):
        x, y, z = at
        return (x - 0.3) ** 2 + 2 * (y + 0.7) ** 2 + (z - x * y) ** 2 + 0.1 * math.exp(x + z)

    start = [(low + high) / 2 + 0.1 for low, high in bounds]
    theirs = minimize(cost, start, method="L-BFGS-B", bounds=bounds)
    ours = minimise_several(cost, start, bounds)
    assert cost(ours) == pytest.approx(theirs.fun, abs=1e-6)
    assert all(low <= one <= high for one, (low, high) in zip(ours, bounds, strict=True))
