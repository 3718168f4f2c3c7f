"""It has nothing to do with any goal of its space."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(facts.alignment < least.alignment)  # NaN is below nothing


def explain(facts: Facts, at: int) -> str:
    return f"it is far from every goal (alignment {facts.alignment[at]:.2f})"


RULE = Rule(
    "unaligned", "low_alignment", 40, holds, explain,
    selects=frozenset({"candidates"}), explains=frozenset({"analyze", "candidates"}),
)  # fmt: skip
