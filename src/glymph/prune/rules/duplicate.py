"""Another live memory says the same."""

from __future__ import annotations

from glymph.prune.rules import Candidate, Rule, Thresholds

SAID_ELSEWHERE = 0.9  # of what it says


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    if candidate.redundancy < SAID_ELSEWHERE:
        return None
    return f"{candidate.repeats!r} says the same" if candidate.repeats else "it is said elsewhere"


RULE = Rule("duplicate", "redundancy", 30, fires)
