"""A newer statement has taken its place."""

from __future__ import annotations

from glymph.prune.rules import Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return facts.superseded


def explain(facts: Facts, at: int) -> str:
    return "a newer statement has replaced it"


RULE = Rule(
    "superseded", "redundancy", 20, holds, explain, selects=frozenset({"candidates", "lifecycle"})
)
