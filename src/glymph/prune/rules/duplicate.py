"""Another live memory says the same."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import Facts, Flags, Rule, Thresholds

SAID_ELSEWHERE = 0.9  # of its text


def holds(facts: Facts, least: Thresholds) -> Flags:
    return np.asarray(facts.redundancy >= SAID_ELSEWHERE)


def explain(facts: Facts, at: int) -> str:
    # By its id: a purge empties every record that quotes what it removes.
    other = facts.repeats[at]
    return f"{other} says it as well" if other else "it is said elsewhere"


RULE = Rule(
    "duplicate", "redundancy", 30, holds, explain, selects=frozenset({"candidates", "lifecycle"})
)
