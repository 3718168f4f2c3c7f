"""It has faded and was not used for long."""

from __future__ import annotations

from glymph.model import Lifecycle
from glymph.prune.rules import Candidate, Rule, Thresholds


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    if candidate.lifecycle is not Lifecycle.DORMANT or candidate.days_since_use < least.stale_days:
        return None
    return f"faded, unused for {candidate.days_since_use:.0f} days"


RULE = Rule("faded", "staleness", 70, fires)
