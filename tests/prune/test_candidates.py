"""Candidates are single memories that may go.

Each comes with one reason, how soon, and the figures behind it.
"""

from __future__ import annotations

import numpy as np
import pytest

from glymph import Glymph, errors
from glymph.prune import rules
from glymph.testing import logical_image
from glymph.testing.embedders import WordEmbedder
from glymph.tools import all_tools
from tests.grounds.pruning import remembered, used


def reasons(found):
    return {one.memory_id: one.reason for one in found.candidates}


def call(glymph, **arguments):
    tool = all_tools()["get_pruning_candidates"]
    return tool.run(glymph, tool.arguments(**arguments))


@pytest.fixture
def aiming(url, clock):
    """A handle whose embedder finds texts near that share words."""
    settings = {"compare": "off"}
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(256, ms=0.0), settings=settings
    ) as handle:
        yield handle


# the answer


def test_a_candidate_tells_its_figures_and_the_summary_counts_all(glymph, clock):
    memory_id = glymph.add("Überall liegt Staub auf den Regalen").id
    young = remembered(glymph, 1)[0]
    clock.advance(days=73)
    used(glymph, young)
    answer = call(glymph)
    assert answer == {
        "candidates": [
            {
                "memory_id": memory_id, "title": "Überall liegt Staub auf den Regalen", "reason": "orphan",
                "age_days": 73.0, "days_since_use": 73.0, "alignment": None, "connections": 0, "byte_size": 36,
                "priority": 0.51,
            }
        ],
        "summary": {
            "total": 1,
            "by_reason": {"redundancy": 0, "low_alignment": 0, "orphan": 1, "staleness": 0},
            "thresholds": {"min_staleness_days": 30, "min_alignment": 0.4},
            "examined": 2,
        },
    }  # fmt: skip


def test_everything_live_is_examined_whatever_the_limit(glymph, clock):
    ids = remembered(glymph, 50)
    glymph.archive(ids[0])
    glymph.delete(ids[1])
    clock.advance(days=60)
    found = glymph.candidates(limit=5)
    assert len(found.candidates) == 5
    assert (found.summary["examined"], found.summary["total"]) == (48, 48)


def test_an_empty_store_has_no_candidates(glymph):
    found = glymph.candidates()
    assert (found.candidates, found.summary["examined"], found.summary["total"]) == ((), 0, 0)


@pytest.mark.parametrize(
    "asked",
    [
        {"limit": 0}, {"limit": 1001}, {"limit": 2.5}, {"limit": True}, {"limit": "many"},
        {"min_staleness_days": -1}, {"min_staleness_days": "old"}, {"min_alignment": 1.1}, {"min_alignment": -0.1},
        {"min_alignment": float("nan")},
    ],
)  # fmt: skip
def test_values_out_of_range_are_refused_by_name(glymph, asked):
    with pytest.raises(errors.InvalidInput, match=next(iter(asked))):
        glymph.candidates(**asked)


def test_the_ends_of_the_ranges_are_accepted(glymph, clock):
    remembered(glymph, 3)
    clock.advance(days=4)
    assert len(glymph.candidates(limit=1, min_staleness_days=0, min_alignment=0).candidates) == 1
    assert len(glymph.candidates(limit=1000, min_staleness_days=0, min_alignment=1).candidates) == 3


# what may go


def test_days_without_use_decide_and_not_age_or_edits(glymph, clock):
    old, edited, recent = remembered(glymph, 3)
    clock.advance(days=40)
    glymph.update(edited, tags=["dusty"])
    used(glymph, recent)
    assert reasons(glymph.candidates()) == {old: "orphan", edited: "orphan"}
    assert reasons(glymph.candidates(min_staleness_days=41)) == {}
    clock.advance(days=30)
    (last,) = (one for one in glymph.candidates().candidates if one.memory_id == recent)
    assert (last.age_days, last.days_since_use) == (70.0, 30.0)


def test_links_are_counted_and_three_of_them_preserve(glymph, clock):
    hub, one, two, three, alone = remembered(glymph, 5)
    for end in (one, two, three):
        glymph.link(hub, end)
    clock.advance(days=60)
    found = glymph.candidates()
    assert {c.memory_id: c.connections for c in found.candidates} == {
        one: 1,
        two: 1,
        three: 1,
        alone: 0,
    }
    assert reasons(found) == {
        one: "staleness",
        two: "staleness",
        three: "staleness",
        alone: "orphan",
    }
    glymph.archive(three)  # a link to what is away holds nothing
    clock.advance(days=1)
    assert {c.memory_id: c.connections for c in glymph.candidates().candidates}[hub] == 2


def test_what_is_guarded_is_no_candidate(glymph, clock):
    pinned, often, goal, plain = remembered(glymph, 3) + remembered(glymph, 1, "Box")
    glymph.pin(pinned)
    glymph.update(goal, kind="goal")
    clock.advance(days=40)
    used(glymph, often, 11)
    young = remembered(glymph, 1, "Crate")[0]
    found = reasons(glymph.candidates(min_staleness_days=0))
    assert found == {plain: "orphan"}
    assert young not in found
    (me,) = (memory.id for memory in glymph.list(kinds=["self"]))
    assert me not in found


def test_what_has_expired_or_was_replaced_may_go_at_once(glymph, clock):
    old = glymph.add("The office is in Bonn", kind="fact").id
    expiring = glymph.add(
        "The parking pass is valid", expires_at=clock.now.replace(day=clock.now.day + 2)
    ).id
    glymph.supersede(old, "The office is in Mainz")
    clock.advance(days=4)
    assert reasons(glymph.candidates()) == {old: "redundancy", expiring: "staleness"}


def test_the_first_to_go_come_first(glymph, clock):
    old = remembered(glymph, 2)
    glymph.link(*old)
    clock.advance(days=200)
    newer = remembered(glymph, 1, "Box")
    clock.advance(days=50)
    found = glymph.candidates().candidates
    assert [one.priority for one in found] == sorted((one.priority for one in found), reverse=True)
    for one in found:
        expected = 0.5 * (1 - 0.5) + 0.3 * min(1, one.age_days / 365) + 0.2 / (one.connections + 1)
        assert one.priority == pytest.approx(expected, abs=2e-4)
    assert {one.memory_id for one in found} == {*old, *newer}


# goals


def test_alignment_is_the_likeness_to_the_nearest_goal_and_without_goals_there_is_none(
    aiming, clock
):
    near = aiming.add("Billing must ship in spring to all customers").id
    far = aiming.add("Penguins cannot taste sweet things whatsoever").id
    clock.advance(days=40)
    assert [one.alignment for one in aiming.candidates().candidates] == [None, None]
    assert aiming.candidates().summary["by_reason"]["low_alignment"] == 0
    goal = aiming.add("Billing must ship in spring", kind="goal").id
    aiming.add("Keep the garden alive", kind="goal")
    found = aiming.candidates()
    assert reasons(found) == {near: "orphan", far: "low_alignment"}
    by_id = {one.memory_id: one for one in found.candidates}
    texts = [aiming.get(one).text for one in (near, goal)]
    assert by_id[near].alignment == pytest.approx(
        float(np.dot(*WordEmbedder(256).embed(texts))), abs=0.005
    )
    assert 0 <= by_id[far].alignment < 0.4
    assert found.candidates[0].memory_id == far
    for one in found.candidates:
        expected = 0.5 * (1 - one.alignment) + 0.3 * one.age_days / 365 + 0.2
        assert one.priority == pytest.approx(expected, abs=1e-3)
    assert goal not in by_id


def test_the_threshold_of_alignment_is_the_callers(aiming, clock):
    aiming.add("Billing must ship in spring", kind="goal")
    near = aiming.add("Billing must ship in spring to all customers").id
    other = aiming.add("Billing must ship in spring or so").id
    aiming.link(near, other, "related_to")
    clock.advance(days=5)
    assert reasons(aiming.candidates(min_alignment=0.9)) == {}  # it is young
    clock.advance(days=35)
    assert set(reasons(aiming.candidates(min_alignment=0.1)).values()) == {"staleness"}
    told = reasons(aiming.candidates(min_alignment=0.99)).values()
    assert sorted(told) == ["low_alignment", "staleness"]


def test_a_goal_that_was_reworded_aligns_by_its_new_words_alone(aiming, clock):
    goal = aiming.add("Billing must ship in spring", kind="goal").id
    near = aiming.add("Billing must ship in spring to all customers").id
    clock.advance(days=40)
    aiming.update(goal, text="Penguins deserve a larger pool")
    aiming.embed()
    assert reasons(aiming.candidates()) == {near: "low_alignment"}


def test_a_goal_given_up_aligns_nothing(aiming, clock):
    goal = aiming.add("Billing must ship in spring", kind="goal").id
    aiming.add("Penguins cannot taste sweet things whatsoever")
    aiming.archive(goal)
    clock.advance(days=40)
    assert [one.alignment for one in aiming.candidates().candidates] == [None]


# what comes of them


def test_every_reason_given_is_one_that_execute_prune_takes(aiming, clock):
    aiming.add("Billing must ship in spring", kind="goal")
    near = [
        aiming.add(f"Billing must ship in spring to {who}").id for who in ("customers", "partners")
    ]
    aiming.add("Penguins cannot taste sweet things whatsoever")
    aiming.link(*near)
    old = aiming.add("Billing must ship in spring or in summer", kind="fact").id
    aiming.supersede(old, "Billing must ship in spring and not in summer")
    clock.advance(days=40)
    found = aiming.candidates()
    assert (
        {"low_alignment", "redundancy", "staleness"}
        <= set(reasons(found).values())
        <= set(rules.REASONS)
    )
    assert set(found.summary["by_reason"]) == set(rules.REASONS)
    for one in found.candidates:
        assert aiming.execute_prune([one.memory_id], one.reason).pruned_count == 1
    assert aiming.candidates().summary["total"] == 0


def test_looking_reinforces_nothing(aiming, clock):
    aiming.add("Billing must ship in spring", kind="goal")
    remembered(aiming, 5)
    clock.advance(days=40)
    before = logical_image(aiming._ctx.store, aiming.space)
    aiming.candidates()
    call(aiming, limit=3)
    assert logical_image(aiming._ctx.store, aiming.space) == before
