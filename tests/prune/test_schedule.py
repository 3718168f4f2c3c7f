"""When upkeep is due."""

from __future__ import annotations

from typing import Any

from glymph.config import Settings
from glymph.decay.stages import Stage
from glymph.prune import schedule

HOUR = 3_600_000_000
NOW = 1_000 * 24 * HOUR


def lifecycle_due(hours: float = Settings().lifecycle_hours, **given: Any) -> str | None:
    return schedule.lifecycle_due(hours=hours, **given)


def ai_prune_due(
    stage: Stage = Stage.GROWTH,
    sessions_needed: int = Settings().ai_prune_sessions,
    memories_needed: int = Settings().ai_prune_memories,
    **given: Any,
) -> str | None:
    return schedule.ai_prune_due(
        stage=stage, after_sessions=sessions_needed, from_memories=memories_needed, **given
    )


def test_lifecycle_that_never_ran_is_due() -> None:
    assert lifecycle_due(last_at=None, added_since=False, now=NOW) == "it never ran"


def test_lifecycle_is_due_at_once_when_memories_were_added() -> None:
    assert "added" in (lifecycle_due(last_at=NOW - 1, added_since=True, now=NOW) or "")


def test_lifecycle_is_due_after_two_hours_and_not_a_moment_before() -> None:
    assert lifecycle_due(last_at=NOW - 2 * HOUR + 1, added_since=False, now=NOW) is None
    assert "2 hours" in (lifecycle_due(last_at=NOW - 2 * HOUR, added_since=False, now=NOW) or "")


def test_lifecycle_keeps_to_its_setting_down_to_seconds() -> None:
    assert lifecycle_due(0.001, last_at=NOW - 3_600_000, added_since=False, now=NOW) is not None
    assert lifecycle_due(0.001, last_at=NOW - 3_599_999, added_since=False, now=NOW) is None


def test_a_clock_that_was_set_back_does_not_stop_lifecycle() -> None:
    assert lifecycle_due(last_at=NOW + HOUR, added_since=False, now=NOW) is not None


def test_the_model_looks_after_five_sessions_and_not_after_four() -> None:
    assert ai_prune_due(sessions=4, live=40, live_at_last=40) is None
    assert "5 sessions" in (ai_prune_due(sessions=5, live=40, live_at_last=40) or "")


def test_the_model_looks_at_fifty_live_memories_and_not_at_forty_nine() -> None:
    assert ai_prune_due(sessions=0, live=49, live_at_last=None) is None
    assert ai_prune_due(sessions=0, live=50, live_at_last=None) is not None
    assert ai_prune_due(sessions=0, live=50, live_at_last=10) is not None


def test_x3_a_large_space_does_not_call_for_a_run_after_every_session() -> None:
    assert ai_prune_due(sessions=1, live=400, live_at_last=400) is None
    assert ai_prune_due(sessions=1, live=499, live_at_last=400) is None
    assert ai_prune_due(sessions=1, live=500, live_at_last=400) is not None


def test_x4_a_small_store_is_never_looked_at() -> None:
    assert ai_prune_due(sessions=100, live=7, live_at_last=None) is None
    assert ai_prune_due(sessions=100, live=8, live_at_last=None) is not None


def test_in_infancy_no_look_by_a_model_is_due_and_in_maturity_one_after_three_sessions():
    assert ai_prune_due(sessions=100, live=500, live_at_last=None, stage=Stage.INFANCY) is None
    assert ai_prune_due(sessions=2, live=40, live_at_last=40, stage=Stage.MATURITY) is None
    assert "3 sessions" in (
        ai_prune_due(sessions=3, live=40, live_at_last=40, stage=Stage.MATURITY) or ""
    )
    assert ai_prune_due(sessions=3, live=40, live_at_last=40, stage=Stage.GROWTH) is None


def test_sessions_and_memories_that_are_needed_are_settings() -> None:
    assert "2 sessions" in (
        ai_prune_due(sessions_needed=2, sessions=2, live=10, live_at_last=10) or ""
    )
    assert ai_prune_due(memories_needed=20, sessions=0, live=20, live_at_last=None) is not None
    assert ai_prune_due(memories_needed=200, sessions=0, live=100, live_at_last=None) is None
