"""It is an episode or a signal, which is there to be learnt from and may go once it has faded."""

from __future__ import annotations

from glymph.prune.rules import NOWHERE, Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    return facts.source


def explain(facts: Facts, at: int) -> str:
    return "an episode needs no other reason"


# What `faded` says about it is all there is to say.
RULE = Rule(
    "episode", "staleness", 90, holds, explain,
    selects=frozenset({"lifecycle"}), explains=NOWHERE,
)  # fmt: skip
