"""Finds where a smooth function of few numbers is least, within bounds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Point = tuple[float, ...]
Bounds = tuple[float, float]

GOLDEN = (math.sqrt(5) - 1) / 2
CLOSE = 1e-6  # of the bounds' distance: nearer points are the same
MOST_STEPS, MOST_SEARCHES = 1_000, 20
FIRST_STEP = 0.1  # of the bounds' distance


def minimise(cost: Callable[[float], float], bounds: Bounds) -> float:
    """Returns where a function with one valley is least: golden-section search."""
    low, high = bounds
    near = CLOSE * (high - low)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = cost(left), cost(right)
    while high - low > near:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = cost(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = cost(right)
    return (low + high) / 2


def minimise_several(
    cost: Callable[[Point], float], start: Sequence[float], bounds: Sequence[Bounds]
) -> Point:
    """Returns where a function of several numbers is least: the simplex search of Nelder and Mead.

    What would leave the bounds is held at them. That may flatten the simplex, so the search begins
    anew where it ended until that gains nothing.
    """
    best = tuple(start)
    for _ in range(MOST_SEARCHES):
        found = _search(cost, best, bounds)
        gained = cost(best) - cost(found)
        best = found
        if gained <= CLOSE * abs(cost(found)):
            break
    return best


def _search(cost: Callable[[Point], float], start: Point, bounds: Sequence[Bounds]) -> Point:
    def hold(point: Sequence[float]) -> Point:
        return tuple(
            min(max(one, low), high) for one, (low, high) in zip(point, bounds, strict=True)
        )

    first = hold(start)
    simplex = [first, *(hold(_step(first, at, bounds)) for at in range(len(first)))]
    costs = {point: cost(point) for point in simplex}

    def known(point: Point) -> float:
        if point not in costs:
            costs[point] = cost(point)
        return costs[point]

    for _ in range(MOST_STEPS):
        simplex.sort(key=known)
        if _is_small(simplex, bounds):
            break
        best, worst = simplex[0], simplex[-1]
        middle = _mean(simplex[:-1])
        mirrored = hold(_along(middle, worst, -1.0))
        if known(mirrored) < known(best):
            further = hold(_along(middle, worst, -2.0))
            simplex[-1] = min(mirrored, further, key=known)
        elif known(mirrored) < known(simplex[-2]):
            simplex[-1] = mirrored
        else:
            nearer = _along(middle, min(mirrored, worst, key=known), 0.5)
            if known(nearer) < min(known(mirrored), known(worst)):
                simplex[-1] = nearer
            else:
                simplex = [best, *(_along(best, point, 0.5) for point in simplex[1:])]
    return min(simplex, key=known)


def _step(point: Point, at: int, bounds: Sequence[Bounds]) -> Point:
    """The point with one number moved, away from the nearer bound."""
    low, high = bounds[at]
    step = FIRST_STEP * (high - low)
    moved = point[at] + (step if point[at] + step <= high else -step)
    return (*point[:at], moved, *point[at + 1 :])


def _mean(points: Sequence[Point]) -> Point:
    return tuple(sum(values) / len(points) for values in zip(*points, strict=True))


def _along(start: Point, end: Point, share: float) -> Point:
    return tuple(a + share * (b - a) for a, b in zip(start, end, strict=True))


def _is_small(simplex: Sequence[Point], bounds: Sequence[Bounds]) -> bool:
    return all(
        max(values) - min(values) <= CLOSE * (high - low)
        for values, (low, high) in zip(zip(*simplex, strict=True), bounds, strict=True)
    )
