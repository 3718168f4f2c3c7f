"""Ranks: fuses the figures of each channel into one, by the weights of the sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from glymph.decay.sections import SECTION_WEIGHTS, SECTIONS, Section, Weights

Figures = NDArray[np.float64]

_RANKING = {str(section): SECTIONS[section].ranking for section in Section}
NOISE = 0.3  # of the nearest: what is less near than this is not near


def nearest(cosines: Figures, unrelated: float) -> float:
    """Returns how far the nearest cosine is above that of an unrelated memory."""
    known = cosines[~np.isnan(cosines)]
    return float(known.max(initial=unrelated)) - unrelated


def semantic_parts(
    cosines: Figures, unrelated: float, most: float, *, otherwise: Figures
) -> Figures:
    """Puts cosines on a scale from 0, an unrelated memory, to 1, the nearest one.

    A memory without a vector, whose cosine is NaN, is judged by its words in this part, too. What
    is far, and has no word of the query either, counts as not found.
    """
    values = scale(np.nan_to_num(cosines, nan=unrelated) - unrelated, most)
    found = np.where((values >= NOISE) | (otherwise > 0), values, 0.0)
    return np.where(np.isnan(cosines), otherwise, found)


def scale(values: Figures, most: float) -> Figures:
    """Puts values on a scale from 0 to 1, which the largest has."""
    return np.clip(values / most, 0.0, 1.0) if most > 0 else np.zeros_like(values)


def relevance(
    parts: Mapping[str, Figures], sections: Sequence[str], weights: Weights = SECTION_WEIGHTS
) -> Figures:
    """Fuses the parts of each memory into one figure from 0 to 1, by its section's weights.

    An affinity alone finds nothing.
    """
    return fuse(parts, number_sections(sections, weights), weights)


def number_sections(sections: Sequence[str], weights: Weights) -> NDArray[np.intp]:
    """Returns the place of each section among the weights."""
    numbers = {str(section): number for number, section in enumerate(weights)}
    return np.fromiter(map(numbers.__getitem__, sections), dtype=np.intp, count=len(sections))


def fuse(parts: Mapping[str, Figures], places: NDArray[np.intp], weights: Weights) -> Figures:
    """Does what `relevance` does for sections that are given by their places."""
    by_section = [[getattr(own, name) for own in weights.values()] for name in parts]
    shares = np.asarray(by_section)[:, places]
    values = np.stack(list(parts.values()))
    whole = shares.sum(axis=0)
    speaking = sum(one for name, one in parts.items() if name != "affinity")
    total = (shares * values).sum(axis=0)
    return np.where(speaking > 0, total / np.where(whole > 0, whole, 1.0), 0.0)


def beside(values: Figures, *sides: NDArray[np.intp]) -> Figures:
    """Returns the mean of the values at each memory's neighbours; none (-1) counts as 0."""
    return sum(
        (np.where(side >= 0, values[side], 0.0) for side in sides), start=np.zeros(len(values))
    ) / len(sides)


def weigh_standing(section: str, *, recency: float, authority: float) -> float:
    """Returns the share of its relevance that a memory keeps: all of it if fresh and trusted.

    A factor, not a sum: however fresh, what does not answer the question does not rise above what
    does.
    """
    weights = _RANKING[section]
    return 1.0 - weights.recency * (1.0 - recency) - weights.authority * (1.0 - authority)


def fit_budget(costs: Sequence[int], budget: int) -> list[int]:
    """Returns the places of what fits, in order, passing over what is too large for the rest."""
    places = []
    for place, cost in enumerate(costs):
        if cost <= budget:
            places.append(place)
            budget -= cost
    return places
