"""Nothing is linked to it, and it was not used for long."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray((facts.connections == 0) & (facts.days_since_use >= least.stale_days))


def explain(facts: Facts, at: int) -> str:
    return "nothing is linked to it"


RULE = Rule(
    "orphan", "orphan", 50, holds, explain,
    selects=frozenset({"candidates"}), explains=frozenset({"analyze", "candidates"}),
)  # fmt: skip
