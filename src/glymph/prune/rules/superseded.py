"""A newer statement has taken its place."""

from __future__ import annotations

from glymph.prune.rules import Candidate, Rule, Thresholds


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    return "a newer statement has replaced it" if candidate.superseded else None


RULE = Rule("superseded", "redundancy", 20, fires)
