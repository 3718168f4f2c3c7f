"""It has nothing to do with any goal of its space."""

from __future__ import annotations

from glymph.prune.rules import Candidate, Rule, Thresholds


def fires(candidate: Candidate, least: Thresholds) -> str | None:
    if candidate.alignment is None or candidate.alignment >= least.alignment:
        return None
    return f"it is far from every goal (alignment {candidate.alignment:.2f})"


RULE = Rule("unaligned", "low_alignment", 40, fires)
