"""Nothing is linked to it, and nobody ever used it in a long time."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    alone = (facts.connections == 0) & (facts.access_count == 0)
    return np.asarray(alone & (facts.days_since_use >= least.stale_days))


def explain(facts: Facts, at: int) -> str:
    return "nothing is linked to it, and nobody ever used it"


RULE = Rule(
    "orphan", "orphan", 50, holds, explain,
    selects=frozenset({"candidates"}), explains=frozenset({"analyze", "candidates"}),
)  # fmt: skip
