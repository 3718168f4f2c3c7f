"""Everything it belongs with has faded."""

from __future__ import annotations

from glymph.prune.rules import Candidate, Rule, Thresholds


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    if (
        candidate.group_size < 2
        or candidate.group_dormant < 1
        or candidate.days_since_use < least.stale_days
    ):
        return None
    return "its whole group is dormant"


RULE = Rule("dead_group", "staleness", 60, fires)
