"""What keeps a memory from being pruned, decided from figures alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.model import Lifecycle, State
from glymph.moments import MICROS_PER_DAY
from glymph.store import guards

NOW = 1_000 * MICROS_PER_DAY


def row(**fields):
    return {
        "state": "LIVE", "protected": 0, "pinned": 0, "access_count": 0, "created_at": NOW - 30 * MICROS_PER_DAY,
    } | fields  # fmt: skip


@pytest.mark.parametrize("goal", [State.ARCHIVED, State.TRASHED])
@pytest.mark.parametrize(
    ("fields", "word"), [({"protected": 1}, "protected"), ({"pinned": 1}, "unpin"), ({}, None)]
)
def test_archive_and_delete_have_the_same_guards(goal, fields, word):
    why = guards.find_obstacle(row(**fields), goal)
    assert (why is None) if word is None else (word in why)


@pytest.mark.parametrize(
    ("actor", "agent", "unattended"),
    [
        ("agent", True, True), ("agent:planner", True, True), ("agent-7", True, True),
        ("daemon", False, True), ("hook", False, True), ("reconcile", False, True),
        ("glymph", False, True), ("user", False, False), ("agentina", False, False),
    ],
)  # fmt: skip
def test_an_actor_is_a_person_unless_its_name_says_otherwise(actor, agent, unattended):
    assert (guards.is_agent(actor), guards.is_unattended(actor)) == (agent, unattended)


def test_what_is_there_already_and_what_is_in_the_trash_are_told_apart():
    assert guards.find_obstacle(row(state="ARCHIVED"), State.ARCHIVED) == "it is ARCHIVED already"
    assert guards.find_obstacle(row(state="ARCHIVED"), State.TRASHED) is None
    assert "restore" in guards.find_obstacle(row(state="TRASHED"), State.ARCHIVED)


@pytest.mark.parametrize(
    ("phase", "uses", "kept"),
    [("ACTIVE", 11, True), ("ACTIVE", 10, False), ("WEAK", 500, False), ("DORMANT", 500, False)],
)
def test_an_active_memory_used_more_than_ten_times_goes_only_by_name(phase, uses, kept):
    why = guards.worth_keeping(row(access_count=uses), Lifecycle(phase), now=NOW)
    assert (why is not None) is kept
    assert why is None or ("11 times" in why and "five ids" in why)


@pytest.mark.parametrize(("days", "kept"), [(0, True), (2.999, True), (3, False), (4, False)])
def test_a_memory_younger_than_three_days_goes_only_by_name(days, kept):
    young = row(created_at=NOW - int(days * MICROS_PER_DAY))
    assert (guards.worth_keeping(young, Lifecycle.DORMANT, now=NOW) is not None) is kept


@pytest.mark.parametrize(
    ("live", "most"), [(0, 10), (40, 10), (60, 12), (1_000, 200), (2_500, 500), (10**6, 500)]
)
def test_a_fifth_at_least_ten_at_most_five_hundred_may_go_at_once(live, most):
    assert guards.cap(live, percent=20, most=500) == most


def test_the_last_evidence_stays_for_what_rests_on_it():
    lesson, other = 100, 101
    dependences = [(lesson, 1), (lesson, 2), (other, 2), (other, 3)]
    assert guards.last_evidence([1], dependences) == {}
    assert guards.last_evidence([1, 2], dependences) == {2: lesson}
    assert set(guards.last_evidence([1, 2, 3], dependences)) <= {1, 2, 3}
    assert guards.last_evidence([1, 2, lesson], [(lesson, 1), (lesson, 2)]) == {}


links = st.lists(st.tuples(st.integers(100, 105), st.integers(0, 8)), unique=True, max_size=30)


@given(links, st.sets(st.integers(0, 8)))
def test_whatever_goes_everything_that_rests_on_something_keeps_something(dependences, going):
    dependences = sorted(dependences)
    kept = guards.last_evidence(sorted(going), dependences)
    gone = going - kept.keys()
    for needer in {needer for needer, _ in dependences}:
        needed = {one for other, one in dependences if other == needer}
        assert needed - gone, "nothing is left for it"
    for stays, needer in kept.items():  # and nothing is kept without a need
        assert (needer, stays) in dependences
        assert {one for other, one in dependences if other == needer} <= going


@given(links, st.sets(st.integers(0, 8)))
def test_a_cascade_takes_exactly_what_rests_on_nothing_else(dependences, going):
    taken = guards.find_orphans(going, dependences)
    for needer in {needer for needer, _ in dependences}:
        needed = {one for other, one in dependences if other == needer}
        assert (needer in taken) is (needed <= going)
