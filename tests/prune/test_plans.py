"""Plans: kept as they were shown, under an id that stands for what they show, until they expire."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors
from glymph.prune.plan import plan_id


def stale_pair(glymph, clock):
    """Two linked memories that nobody has used for a year."""
    a = glymph.add("The cellar is damp in spring", kind="note").id
    b = glymph.add("Bottles are stored behind the furnace", kind="note", links=[a]).id
    clock.advance(days=400)
    return a, b


def test_a_plan_is_read_back_as_it_was_shown(glymph, clock, url):
    stale_pair(glymph, clock)
    glymph.recall("cellar")
    plan = glymph.analyze()
    assert glymph.plan(plan.id) == plan
    assert glymph.plans() == [plan]
    with Glymph.open(url, clock=clock) as other:
        assert other.plan(plan.id).text == plan.text


def test_the_same_store_gives_the_same_plan_also_at_another_hour(glymph, clock):
    stale_pair(glymph, clock)
    first = glymph.analyze()
    assert glymph.analyze().id == first.id
    for _ in range(5):
        clock.advance(days=1)
        assert glymph.analyze().id == first.id
    assert len(glymph.plans()) == 1
    assert glymph.analyze(min_staleness=0.2).id != first.id


def test_the_order_of_the_members_is_no_part_of_the_id(glymph, clock):
    stale_pair(glymph, clock)
    plan = glymph.analyze()
    listed = [list(group.nodes) for group in plan.groups]
    assert plan_id(plan.space, plan.thresholds, listed) == plan.id
    assert plan_id(plan.space, plan.thresholds, [nodes[::-1] for nodes in listed]) == plan.id


def changed_text(glymph, a, b):
    glymph.update(a, text="The cellar is dry by now")


def changed_links(glymph, a, b):
    glymph.link(b, a, "caused_by")


def reported_use(glymph, a, b):
    glymph.report(glymph.recall("cellar damp spring").id, used=[a])


def another_member(glymph, a, b):
    glymph.add("The furnace rattles when it rains", kind="note", links=[b])


CHANGES = [changed_text, changed_links, reported_use, another_member]


@pytest.mark.parametrize("change", CHANGES, ids=[change.__name__ for change in CHANGES])
def test_a_changed_store_gives_another_plan(glymph, clock, change):
    a, b = stale_pair(glymph, clock)
    before = glymph.analyze(min_staleness=0)
    change(glymph, a, b)
    assert glymph.analyze(min_staleness=0).id != before.id


def test_looking_gives_no_other_plan(glymph, clock):
    a, _ = stale_pair(glymph, clock)
    before = glymph.analyze()
    glymph.recall("cellar")
    glymph.get(a)
    glymph.candidates()
    assert glymph.analyze().id == before.id


def test_a_plan_expires_and_says_so(url, clock):
    with Glymph.open(url, clock=clock, settings={"plan_days": 2}) as glymph:
        a, _ = stale_pair(glymph, clock)
        plan = glymph.analyze()
        clock.advance(days=2, seconds=-1)
        assert glymph.plan(plan.id).id == plan.id
        clock.advance(seconds=1)
        for act in (glymph.plan, glymph.prune):
            with pytest.raises(errors.PlanExpired, match="Analyse again"):
                act(plan.id)
        assert glymph.plans() == []
        assert glymph.get(a).state == "LIVE"
        glymph.analyze(min_staleness=0.2)
        with pytest.raises(errors.PlanNotFound):
            glymph.plan(plan.id)


def test_an_analysis_made_again_lives_from_then_on(glymph, clock):
    stale_pair(glymph, clock)
    plan = glymph.analyze()
    clock.advance(days=6)
    glymph.analyze()
    clock.advance(days=6)
    assert glymph.plan(plan.id).id == plan.id


def test_an_unknown_plan_is_not_found_and_neither_is_that_of_another_space(glymph, clock, url):
    stale_pair(glymph, clock)
    plan = glymph.analyze()
    with pytest.raises(errors.PlanNotFound, match="analyze"):
        glymph.prune("0" * 32)
    with Glymph.open(url, clock=clock, space="other") as other:
        assert other.plans() == []
        with pytest.raises(errors.PlanNotFound):
            other.prune(plan)


def test_plans_are_listed_newest_first(glymph, clock):
    stale_pair(glymph, clock)
    first = glymph.analyze()
    clock.advance(hours=1)
    second = glymph.analyze(min_staleness=0.5)
    assert [plan.id for plan in glymph.plans()] == [second.id, first.id]
