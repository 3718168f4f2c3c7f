"""Its kind is kept for so many days and no longer, as a setting says."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(facts.age_days >= facts.retention_days)


def explain(facts: Facts, at: int) -> str:
    return "it is past the retention of its kind"


# Retention ends what has faded and is no reason to list what somebody still uses.
RULE = Rule(
    "past_retention", "staleness", 32, holds, explain,
    selects=frozenset({"lifecycle"}), explains=frozenset({"lifecycle"}),
)  # fmt: skip
