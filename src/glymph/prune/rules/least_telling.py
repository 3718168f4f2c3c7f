"""It is among the tenth of the space that tells least."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds

LOWEST = 0.1  # the share of memories that tell least


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(facts.information < LOWEST)


def explain(facts: Facts, at: int) -> str:
    return "it is among the tenth of the space that tells least"


RULE = Rule(
    "least_telling", "redundancy", 34, holds, explain,
    selects=frozenset({"lifecycle"}), explains=frozenset({"lifecycle"}),
)  # fmt: skip
