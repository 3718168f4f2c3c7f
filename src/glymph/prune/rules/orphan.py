"""Nothing is linked to it, and nobody has used it for long."""

from __future__ import annotations

from glymph.prune.rules import Candidate, Rule, Thresholds


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    if candidate.connections or candidate.days_since_use < least.stale_days:
        return None
    return "nothing is linked to it"


RULE = Rule("orphan", "orphan", 50, fires)
