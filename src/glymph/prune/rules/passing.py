"""It is noise, or was worth knowing for a while only."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds
from glymph.write.grading import MOSTLY_PASSING


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(facts.passing >= MOSTLY_PASSING)  # NaN is above nothing


def explain(facts: Facts, at: int) -> str:
    return "it was worth knowing for a while only"


RULE = Rule(
    "passing", "staleness", 34, holds, explain,
    selects=frozenset({"lifecycle"}), explains=frozenset({"lifecycle"}),
)  # fmt: skip
