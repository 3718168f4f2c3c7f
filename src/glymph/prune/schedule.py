"""Schedules of upkeep: when a run is due, as the reason for it."""

from __future__ import annotations

from hashlib import blake2b

from glymph.decay.stages import Stage, find_policy
from glymph.moments import MICROS_PER_DAY

CONSOLIDATED = "last_consolidation_at"  # up to when a consolidation has looked at episodes
HOUR = MICROS_PER_DAY // 24
AI_PRUNE_GROWTH = 1.25  # times the count at the last run
AI_PRUNE_LEAST = 8  # live memories below which a run would wipe a small store out
SPREAD = 10  # the part of an interval over which the first runs of many spaces are spread


def lifecycle_due(*, last_at: int | None, added_since: bool, now: int, hours: float) -> str | None:
    """Returns why lifecycle is due, or None.

    Moments are in microseconds; `last_at` is that of the last run. A last run that lies ahead of
    the clock counts as none: a clock that was set back must not stop upkeep.
    """
    if last_at is None or last_at > now:
        return "it never ran"
    if added_since:
        return "memories were added since the last run"
    if now - last_at >= hours * HOUR:  # memories fade also while nothing is added
        return f"{hours:g} hours have passed since the last run"
    return None


def ai_prune_due(
    *,
    sessions: int,
    live: int,
    live_at_last: int | None,
    stage: Stage,
    after_sessions: int,
    from_memories: int,
) -> str | None:
    """Returns why a look by the model is due, or None.

    `sessions` have ended since the last run, `live` memories there are, and `live_at_last` there
    were then; `after_sessions` and `from_memories` are the settings. Growth is measured against the
    last run, so a space that stays large does not call for one after every session. In its infancy
    a space has not been used enough to tell what nobody needs: none is due.
    """
    enough = find_policy(stage, sessions=after_sessions).ai_prune_sessions
    if enough is None or live < AI_PRUNE_LEAST:
        return None
    if sessions >= enough:
        return f"{sessions} sessions have ended since the last run"
    if live >= max(from_memories, AI_PRUNE_GROWTH * (live_at_last or 0)):
        before = (
            "and it never ran" if live_at_last is None else f"after {live_at_last} at the last run"
        )
        return f"there are {live} live memories {before}"
    return None


def jitter(space: str, job: str, interval: int) -> int:
    """Returns by how much the first run of a job is put off.

    It is up to a tenth of the job's interval, and always the same for one space. Later runs keep
    the distance, so a thousand spaces that began together do not wake at once.
    """
    drawn = int.from_bytes(blake2b(f"{space}\0{job}".encode(), digest_size=8).digest())
    return (drawn * (interval // SPREAD)) >> 64


def due(kept: int | None, interval: int, now: int, jitter: int) -> int:
    """Returns when a periodic job is due, given the moment stored for it.

    That is in the past if the job was missed. One that was never kept is due after its jitter. One
    that lies more than an interval ahead was kept under a clock that has been set back since, or
    for a longer interval: it is brought back by whole intervals.
    """
    if kept is None:
        return now + jitter
    if kept - now <= interval:
        return kept
    return now + 1 + (kept - now - 1) % interval


def next_due(due_at: int, interval: int, now: int) -> int:
    """Returns when a job that has just run is due again.

    That is on its beat, and ahead of now. Missed runs are not made up for.
    """
    if due_at > now:
        return due_at
    return due_at + ((now - due_at) // interval + 1) * interval


def consolidation_due(*, last_at: int | None, now: int, hours: float) -> str | None:
    """Returns why consolidation is due; None while less than its interval has passed."""
    if last_at is None:
        return "it never ran"
    if not 0 <= now - last_at < hours * HOUR:
        return f"{hours:g} hours have passed since the last run"
    return None
