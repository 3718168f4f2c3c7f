"""It said itself until when it holds."""

from __future__ import annotations

from glymph.prune.rules import Candidate, Rule, Thresholds


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    return "its time has run out" if candidate.expired else None


RULE = Rule("expired", "staleness", 10, fires)
