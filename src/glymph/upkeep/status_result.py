"""The values of a status: what upkeep did, what waits, what is left today, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

OK, ATTENTION, FAILING = "ok", "attention", "failing"
IDLE = "nothing to do"  # what a job says whose figures are all 0
FREE, HELD, STALE = "free", "held", "stale"


@dataclass(frozen=True, slots=True)
class JobStatus:
    """A periodic job of a space."""

    job: str
    last_run_at: datetime | None
    next_due_at: datetime | None  # None: it has no fixed time, `told` says what it waits for
    outcome: str | None  # of the last run: done, skipped or failed; None if none is known
    told: str  # the same in words
    overdue: bool = False
    report: Mapping[str, Any] = field(default_factory=dict)  # what the last run said, as data


@dataclass(frozen=True, slots=True)
class GivenUp:
    """An item of the queue that failed too often. `reasons` are by job."""

    id: str
    job: str
    failed_at: datetime
    attempts: int
    reasons: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class QueueStatus:
    waiting: int  # those that rest included
    resting: int  # waiting for another attempt after a failure
    failed: int  # given up, of the last ones
    oldest_at: datetime | None
    failures: tuple[GivenUp, ...] = ()


@dataclass(frozen=True, slots=True)
class LockStatus:
    """Who works on the space. A stale lock was not given back; the next worker takes it over."""

    state: str
    holder: str | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Backlog:
    without_vectors: int | None  # None: the embedder cannot be used, `embedder_problem` says why
    open_questions: int
    in_trash: int
    expired_trash: int
    pending_certificates: int
    embedder_problem: str = ""


@dataclass(frozen=True, slots=True)
class Caps:
    """What is left of the caps of the last 24 hours."""

    unattended_left: int  # memories that runs nobody reviews may still archive
    spend_left_usd: float
    tokens_left: int


@dataclass(frozen=True, slots=True)
class AutonomousStatus:
    health: str  # ok, attention or failing
    recommendations: tuple[str, ...]  # each with the command that does it
    jobs: tuple[JobStatus, ...]
    queue: QueueStatus
    lock: LockStatus
    backlog: Backlog
    caps: Caps
    counters: Mapping[str, int | datetime | None]
