"""Figures of a space as a whole: how spread out, how coherent, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from glymph.decay.stages import Policy, Stage
from glymph.store.arrays import Floats, Slots
from glymph.store.scan import Vectors

ENOUGH = 20  # live memories below which there is nothing to tell yet
GROUP = 3  # members from which a community counts for coherence


@dataclass(frozen=True, slots=True)
class Task:
    """Something to put in order, how much of it there is, and the tool call that does it."""

    task: str
    count: int | None  # None: too many memories to count while somebody waits
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MemeticStatus:
    memories: int
    communities: int
    entropy: float
    coherence: float
    coherence_by: str  # vectors, links, or none where no community is large enough
    suggested_action: str
    curation_tasks: tuple[Task, ...]
    stage: Stage
    recalls: int
    policy: Policy


def entropy(sizes: Slots) -> float:
    """Returns how evenly memories lie over communities of these sizes.

    It is 1 for communities of equal size, and 0 for a single one.
    """
    sizes = sizes[sizes > 0]
    if len(sizes) < 2:
        return 0.0
    shares = sizes / sizes.sum()
    return float(-(shares * np.log2(shares)).sum() / np.log2(len(sizes)))


def coherence(sizes: Slots, tightness: Floats) -> float:
    """Returns the share of memories in communities of at least three, times how tight these are.

    How tight they are is averaged over their members. `tightness` is that of each community, NaN
    where it is not known.
    """
    large = sizes >= GROUP
    known = large & ~np.isnan(tightness)
    if not known.any():
        return 0.0
    mean = float(np.average(tightness[known], weights=sizes[known]))
    return float(sizes[large].sum() / sizes.sum()) * mean


def density(sizes: Slots, edges: Slots) -> Floats:
    """Returns for each community the share of its possible pairs that are linked.

    It is NaN for single memories.
    """
    possible = sizes * (sizes - 1) / 2
    return np.asarray(
        np.where(possible > 0, np.minimum(edges / np.maximum(possible, 1), 1.0), np.nan)
    )


def closeness(vectors: Vectors, group: Slots, count: int) -> Floats:
    """Returns for each community the mean cosine of its vectors to their centroid.

    It is NaN for communities without vectors. Vectors have length one, each with the number of its
    community.
    """
    found = np.full(count, np.nan)
    if not len(group):
        return found
    order = np.argsort(group, kind="stable")
    own, begins = np.unique(group[order], return_index=True)
    sums = np.add.reduceat(vectors[order].astype(np.float32), begins, axis=0).astype(np.float64)
    members = np.diff([*begins.tolist(), len(order)])
    # The mean of products with the centroid's direction is the length of the sum over the number of
    # members.
    found[own] = np.clip(np.linalg.norm(sums, axis=1) / members, 0.0, 1.0)
    return found


def suggested_action(memories: int, entropy: float, coherence: float) -> str:
    """Returns what to do next with a space, by the first rule that holds."""
    rules = [
        (memories < ENOUGH, "ready"),
        (entropy > 0.7 and coherence < 0.4, "curate"),
        (entropy > 0.8, "prune"),
        (coherence < 0.4, "consolidate"),
        (entropy > 0.6 and coherence > 0.5, "explore"),
        (entropy < 0.4 and coherence > 0.6, "ready"),
    ]
    return next((action for holds, action in rules if holds), "review")
