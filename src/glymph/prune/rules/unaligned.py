"""It has less to do with the goals of its space than most, and was not used for long."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds

LOWEST = 0.25  # the share of memories that is farthest from the goals


def holds(facts: Facts, least: Thresholds) -> Flags:
    known = facts.alignment[~np.isnan(facts.alignment)]
    usual = float(np.quantile(known, LOWEST)) if len(known) else 0.0
    far = facts.alignment <= usual  # NaN is below nothing
    far &= facts.alignment < least.alignment
    return np.asarray(far & (facts.days_since_use >= least.stale_days))


def explain(facts: Facts, at: int) -> str:
    return f"it is far from every goal (alignment {facts.alignment[at]:.2f})"


RULE = Rule(
    "unaligned", "low_alignment", 40, holds, explain,
    selects=frozenset({"candidates"}), explains=frozenset({"analyze", "candidates"}),
)  # fmt: skip
