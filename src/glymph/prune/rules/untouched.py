"""It is not dormant yet, but was not used for long."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(~facts.dormant & (facts.days_since_use >= least.stale_days))


def explain(facts: Facts, at: int) -> str:
    return f"unused for {facts.days_since_use[at]:.0f} days"


RULE = Rule(
    "untouched", "staleness", 80, holds, explain,
    selects=frozenset({"candidates"}), explains=frozenset({"analyze", "candidates"}),
)  # fmt: skip
