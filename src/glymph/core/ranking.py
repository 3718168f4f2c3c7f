"""From what each channel found to one order: fused scores, support, section weights, and what fits a budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from glymph.core.sections import SECTIONS, Section

Figures = NDArray[np.float64]

NOISE = 0.3  # of the nearest: what is less near than this is not near

CHANNELS = ("semantic", "keyword", "affinity")


@dataclass(frozen=True, slots=True)
class Fusion:
    """How strongly the parts of a memory's relevance count. One setting for every space."""

    semantic: float = 0.6
    keyword: float = 0.4
    affinity: float = 0.1
    neighbour: float = 0.2  # of the relevance of each neighbour in the session
    graph: float = 0.4  # of what activation brings


def nearest(cosines: Figures, unrelated: float) -> float:
    """How far the nearest cosine is above that of an unrelated memory."""
    known = cosines[~np.isnan(cosines)]
    return float(known.max(initial=unrelated)) - unrelated


def semantic_parts(cosines: Figures, unrelated: float, most: float) -> Figures:
    """Cosines on a scale from 0, what an unrelated memory has, to 1, the nearest one."""
    values = scaled(np.nan_to_num(cosines, nan=unrelated) - unrelated, most)
    return np.where(values >= NOISE, values, 0.0)


def scaled(values: Figures, most: float) -> Figures:
    """The values on a scale from 0 to 1, which the largest has."""
    return np.clip(values / most, 0.0, 1.0) if most > 0 else np.zeros_like(values)


def relevance(parts: Mapping[str, Figures], fusion: Fusion) -> Figures:
    """The channels' parts as one figure; a channel that is not there leaves its share to the others."""
    weights = {channel: float(getattr(fusion, channel)) for channel in CHANNELS if channel in parts}
    whole = sum(weight for channel, weight in weights.items() if channel != "affinity")
    matching = sum(parts[channel] for channel in weights if channel != "affinity")
    total = sum(weight * parts[channel] for channel, weight in weights.items())
    return np.where(matching > 0, np.asarray(total) / whole, 0.0)


def beside(values: Figures, places: NDArray[np.intp]) -> Figures:
    """The value at each place, 0 where the place is -1."""
    return np.where(places >= 0, values[places], 0.0)


def standing(section: str, *, recency: float, authority: float) -> float:
    """What share of its relevance a memory keeps, by the weights of its section: all of it if fresh and trusted.

    A factor, not a sum: however fresh, what does not answer the question does not rise above what does.
    """
    weights = SECTIONS[Section(section)].ranking
    return 1.0 - weights.recency * (1.0 - recency) - weights.authority * (1.0 - authority)


def tokens(text: str) -> int:
    """About how many tokens a text costs: four characters each."""
    return -(-len(text) // 4)


def packed(costs: Sequence[int], budget: int) -> list[int]:
    """The places of what fits the budget, taken in order, passing over what is too large for the rest."""
    places = []
    for place, cost in enumerate(costs):
        if cost <= budget:
            places.append(place)
            budget -= cost
    return places
