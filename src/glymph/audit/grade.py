"""The grade of a collection: how many of its memories are a burden."""

from __future__ import annotations

from collections.abc import Iterable

from glymph.audit.result import Finding

# The largest share of flawed memories for each grade; above the last it is F.
LIMITS = (("A", 0.02), ("B", 0.05), ("C", 0.10), ("D", 0.20), ("E", 0.35))
GRADES = (*(name for name, _ in LIMITS), "F")
WITH_SECRET = "D"  # the best grade of what holds a secret
COUNTED = ("duplicate", "near", "stale", "contradiction", "junk")
RULE = (
    "Grade by the share of memories that are a repetition, stale, contradictory or junk: "
    + ", ".join(f"{name} up to {share:.0%}" for name, share in LIMITS)
    + f", F above. A secret makes it {WITH_SECRET} at best. Identifiers are listed and do not "
    "count."
)


def count_flawed(findings: Iterable[Finding]) -> int:
    """Returns how many memories count against the grade; of a contradiction both do."""
    flawed: set[str] = set()
    for one in findings:
        if one.check in COUNTED:
            both = one.memories if one.check == "contradiction" else one.memories[:1]
            flawed.update(shown.id for shown in both)
    return len(flawed)


def choose_grade(flawed: int, total: int, *, secret: bool) -> str:
    """Returns the grade; nothing at all has nothing wrong with it."""
    share = flawed / total if total else 0.0
    found = next((name for name, most in LIMITS if share <= most), GRADES[-1])
    return max(found, WITH_SECRET) if secret else found  # later letters are worse
