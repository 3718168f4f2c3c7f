"""It is dormant and was not used for long."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(facts.dormant & (facts.days_since_use >= least.stale_days))


def explain(facts: Facts, at: int) -> str:
    present, days = facts.retrievability[at], facts.days_since_use[at]
    return f"dormant (retrievability {present:.2f}) and unused for {days:.0f} days"


# Lifecycle takes only what this holds for; knowledge needs another rule besides.
RULE = Rule("faded", "staleness", 70, holds, explain, selects=frozenset({"candidates"}))
