"""What an audit comes to: what was judged, what was found, and the grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Check = Literal["duplicate", "near", "stale", "contradiction", "junk", "secret", "identifier"]
CHECKS: tuple[Check, ...] = (
    "duplicate", "near", "stale", "contradiction", "junk", "secret", "identifier",
)  # fmt: skip
MEANING: Mapping[Check, str] = {
    "duplicate": "said twice in the same words",
    "near": "said again in other words",
    "stale": "out of date: something newer takes its place",
    "contradiction": "two that cannot both hold, and no date says which is newer",
    "junk": "says nothing worth keeping",
    "secret": "holds a password, key or token",
    "identifier": "names a person's address, number or account",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """One memory to be judged."""

    id: str
    text: str
    at: datetime | None = None  # when it was said, in its present words


@dataclass(frozen=True, slots=True)
class Shown:
    """A memory as a report names it: without secrets, and without what identifies people."""

    id: str
    text: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem. The first memory is the one to act upon; the second is why, if there is one."""

    check: Check
    memories: tuple[Shown, ...]
    reason: str
    sure: float = 1.0


@dataclass(frozen=True, slots=True)
class Audit:
    """The health of a collection of memories."""

    source: str
    kind: str
    memories: int
    grade: str
    flawed: int  # memories that count against the grade
    counts: Mapping[str, int]  # findings by check
    findings: tuple[Finding, ...]
    unjudged: tuple[str, ...]  # what could not be judged, and how it could be
    rule: str
