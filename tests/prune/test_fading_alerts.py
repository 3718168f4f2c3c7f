"""Alerts of what is about to be forgotten, and the way to keep it."""

from __future__ import annotations

import pytest

from glymph.errors import InvalidInput
from glymph.prune.fading_alerts import find_fading, reinforce
from glymph.prune.lifecycle import lifecycle
from tests.grounds.pruning import image

LESSON = "I exit breakouts too early when the volume is high; hold for a day"
WEAK = 100  # days after which a lesson is WEAK: 90 to 266


def test_a_lesson_is_told_while_it_is_weak_and_neither_before_nor_after(glymph, clock) -> None:
    lesson = glymph.add(LESSON, kind="lesson").id
    clock.advance(days=90)
    assert find_fading(glymph._ctx) == ()
    clock.advance(days=10)
    (found,) = find_fading(glymph._ctx)
    assert (found.id, found.kind, found.title) == (lesson, "lesson", glymph.get(lesson).title)
    assert found.retrievability == pytest.approx(glymph.get(lesson).retrievability, abs=1e-4)
    assert found.choices == {
        "reinforce": f"reinforce(['{lesson}'])",
        "archive": f"archive(['{lesson}'])",
    }
    clock.advance(days=found.days_until_dormant - 0.2)
    assert glymph.get(lesson).lifecycle == "WEAK"
    clock.advance(days=0.4)
    assert glymph.get(lesson).lifecycle == "DORMANT"
    assert find_fading(glymph._ctx) == ()


def test_theses_and_playbooks_are_told_and_facts_are_not_the_first_to_fall_first(
    glymph, clock
) -> None:
    glymph.add("The office is in Vienna", kind="fact")
    playbook = glymph.add("On a funding squeeze, buy the second pullback", kind="playbook").id
    lesson = glymph.add(LESSON, kind="lesson").id
    clock.advance(days=140)
    thesis = glymph.add("SOL will outrun ETH while fees stay low", kind="thesis").id
    clock.advance(days=60)
    assert [one.id for one in find_fading(glymph._ctx)] == [thesis, lesson, playbook]
    assert [one.id for one in find_fading(glymph._ctx, limit=1)] == [thesis]


def test_what_is_pinned_superseded_expired_or_archived_is_not_told(glymph, clock) -> None:
    glymph.add(LESSON, kind="lesson", pinned=True)
    old = glymph.add("The desk trades nine pairs", kind="lesson").id
    glymph.supersede(old, "The desk trades four pairs since the cut")
    gone = glymph.add("Weekends are slow for the desk in Vienna", kind="lesson").id
    clock.advance(days=WEAK)
    glymph.archive([gone])
    assert old not in [one.id for one in find_fading(glymph._ctx)]
    assert gone not in [one.id for one in find_fading(glymph._ctx)]


def test_it_is_announced_once_a_day_at_most(glymph, clock) -> None:
    glymph.add(LESSON, kind="lesson")
    clock.advance(days=10)
    assert (
        find_fading(glymph._ctx, announce=True) == ()
    )  # and nothing was told, so that tomorrow's is not lost
    clock.advance(days=WEAK - 10)
    assert len(find_fading(glymph._ctx, announce=True)) == 1
    clock.advance(days=1, seconds=-1)
    assert find_fading(glymph._ctx, announce=True) == ()
    assert len(find_fading(glymph._ctx)) == 1
    clock.advance(seconds=1)
    assert len(find_fading(glymph._ctx, announce=True)) == 1


def test_a_look_is_no_announcement_and_changes_nothing(glymph, clock) -> None:
    glymph.add(LESSON, kind="lesson")
    clock.advance(days=WEAK)
    before = image(glymph)
    find_fading(glymph._ctx)
    assert image(glymph) == before
    assert len(find_fading(glymph._ctx, announce=True)) == 1


def test_a_run_of_lifecycle_tells_what_is_fading(glymph, clock) -> None:
    lesson = glymph.add(LESSON, kind="lesson").id
    clock.advance(days=WEAK)
    assert [one.id for one in lifecycle(glymph._ctx).fading] == [lesson]


@pytest.mark.parametrize("limit", [0, 101, True, "5"])
def test_a_limit_that_makes_no_sense_is_refused(glymph, limit) -> None:
    with pytest.raises(InvalidInput, match="limit"):
        find_fading(glymph._ctx, limit=limit)


def test_to_reinforce_counts_as_one_use_and_ends_the_fading(glymph, clock) -> None:
    lesson = glymph.add(LESSON, kind="lesson").id
    clock.advance(days=WEAK)
    before = image(glymph)
    done = reinforce(glymph._ctx, [lesson])
    found = glymph.get(lesson)
    assert done.succeeded == (lesson,)
    assert (found.access_count, found.last_used_at, found.lifecycle) == (1, clock(), "ACTIVE")
    assert found.stability > 90
    assert find_fading(glymph._ctx) == ()
    glymph.undo(done.operation_id)
    assert image(glymph) == before


def test_to_reinforce_what_is_not_live_or_not_there_says_why(glymph, clock) -> None:
    lesson = glymph.add(LESSON, kind="lesson").id
    glymph.archive([lesson])
    done = reinforce(glymph._ctx, [lesson, "nothing"])
    assert done.succeeded == ()
    assert "restore it first" in done.skipped[0].reason
    assert done.failed[0].id == "nothing"
