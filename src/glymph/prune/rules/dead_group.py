"""Everything it belongs with has faded."""

from __future__ import annotations

import numpy as np

from glymph.prune.rules import NOWHERE, Facts, Flags, Rule, Thresholds


def holds(facts: Facts, least: Thresholds) -> Flags:
    gone = (facts.group_size >= 2) & (facts.group_dormant >= 1)
    return np.asarray(gone & (facts.days_since_use >= least.stale_days))


def explain(facts: Facts, at: int) -> str:
    return "its whole group is dormant"


# Such a group is listed for its staleness; this says why it is stale.
RULE = Rule(
    "dead_group", "staleness", 60, holds, explain,
    selects=NOWHERE, explains=frozenset({"analyze"}), of_group=True,
)  # fmt: skip
