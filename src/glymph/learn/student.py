"""Student's t distribution: how likely a difference that large is by chance."""

from __future__ import annotations

import math

EXACT = 1e-15
MOST_TERMS = 500


def chance_beyond(t: float, freedom: int) -> float:
    """Returns the chance of a value further from nought than `t`, on either side."""
    if not math.isfinite(t):
        return 0.0 if math.isinf(t) else math.nan
    whole = freedom + t * t
    return _incomplete_beta(freedom / 2, 0.5, freedom / whole, t * t / whole)


def _incomplete_beta(a: float, b: float, x: float, left: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22).

    `left` is what is missing from `x` to one: where that is tiny, a difference would round it off.
    """
    if x <= 0.0 or left <= 0.0:
        return float(left <= 0.0)
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly, and the mirrored one fast
        return 1.0 - _incomplete_beta(b, a, left, x)
    logs = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(logs + a * math.log(x) + b * math.log(left)) / a
    value, c, d = 1.0, 1.0, 0.0  # by Lentz's method
    for term in range(1, MOST_TERMS):
        half = term // 2
        if term == 1:
            part = 1.0
        elif term % 2:
            part = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        else:
            k = half - 1
            part = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
        d = 1.0 / (1.0 + part * d)
        c = 1.0 + part / c
        value *= c * d
        if term > 1 and abs(1.0 - c * d) < EXACT:
            break
    return front * (value - 1.0)
