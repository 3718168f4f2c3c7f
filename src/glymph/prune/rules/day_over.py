"""It named a day that was to come, and that day is over."""

from __future__ import annotations

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return facts.over


def explain(facts: Facts, at: int) -> str:
    return "the day it was about is over"


RULE = Rule(
    "day_over", "staleness", 33, holds, explain,
    selects=frozenset({"lifecycle"}), explains=frozenset({"lifecycle"}),
)  # fmt: skip
