"""It says itself until when it is valid, and that time is over."""

from __future__ import annotations

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return facts.expired


def explain(facts: Facts, at: int) -> str:
    return "it has expired"


RULE = Rule(
    "expired", "staleness", 10, holds, explain, selects=frozenset({"candidates", "lifecycle"})
)
