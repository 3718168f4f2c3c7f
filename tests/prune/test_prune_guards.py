"""What a prune leaves alone, for archive and delete alike, and what it takes along."""

from __future__ import annotations

import pytest

from glymph import errors
from tests.grounds.pruning import image, remembered, used

ACTIONS = pytest.mark.parametrize("action", ["archive", "delete"])


def reasons(receipt):
    return {one.id: one.reason for one in receipt.skipped}


def lesson_of(glymph, *evidence, kind="derived_from", text="Never deploy before a weekend"):
    return glymph.add(text, kind="lesson", links=[(one, kind) for one in evidence]).id


def events(glymph, count=2):
    texts = (
        "The Friday deployment broke the billing page",
        "Rollbacks took ninety minutes that evening",
    )
    return [glymph.add(text, kind="event").id for text in texts[:count]]


# pinned, protected, much used, young


@ACTIONS
def test_what_is_pinned_or_protected_stays_however_it_is_named(glymph, clock, action):
    pinned, other = remembered(glymph, 2)
    glymph.pin(pinned)
    (me,) = (memory.id for memory in glymph.list(kinds=["self"]))
    clock.advance(days=100)
    by_name = getattr(glymph, action)
    for act in (by_name, lambda ids: glymph.batch_prune(ids, action)):
        assert reasons(act([pinned, me])) == {
            pinned: "it is pinned; unpin it first",
            me: "it is protected",
        }
    glymph.unpin(pinned)
    assert set(by_name([pinned, other]).succeeded) == {pinned, other}


@ACTIONS
def test_an_active_memory_used_more_than_ten_times_stays_and_the_skip_names_the_way(
    glymph, clock, action
):
    often, enough = remembered(glymph, 2)
    clock.advance(days=10)
    used(glymph, often, 11)
    used(glymph, enough, 10)
    done = glymph.batch_prune([often, enough], action)
    assert done.succeeded == (enough,)
    assert (
        "used 11 times; name it in a delete or archive of at most five ids" in reasons(done)[often]
    )
    assert getattr(glymph, action)([often]).succeeded == (often,)


@ACTIONS
def test_a_much_used_memory_that_has_faded_may_go(glymph, clock, action):
    (often,) = remembered(glymph, 1)
    used(glymph, often, 12)
    clock.advance(days=4000)
    assert glymph.get(often).lifecycle != "ACTIVE"
    assert glymph.batch_prune([often], action).succeeded == (often,)


@ACTIONS
def test_a_memory_younger_than_three_days_stays(glymph, clock, action):
    (young,) = remembered(glymph, 1)
    clock.advance(days=3, seconds=-1)
    assert "less than 3 days old; name it" in reasons(glymph.batch_prune([young], action))[young]
    clock.advance(seconds=1)
    assert glymph.batch_prune([young], action).succeeded == (young,)


@ACTIONS
def test_up_to_five_named_ids_skip_the_guards_of_use_and_age_and_six_do_not(glymph, clock, action):
    ids = remembered(glymph, 6)
    used(glymph, ids[0], 11)
    act = getattr(glymph, action)
    done = act(ids)
    assert done.succeeded == ()
    assert "used 11 times" in reasons(done)[ids[0]]
    assert all("less than 3 days old" in reasons(done)[one] for one in ids[1:])
    assert act([*ids[:5], ids[0]]).succeeded == tuple(ids[:5])  # an id given twice counts once


def test_the_guards_judge_the_memory_as_it_was_before_they_looked(glymph, clock):
    (often,) = remembered(glymph, 1)
    clock.advance(days=10)
    used(glymph, often, 10)
    before = glymph.get(often)
    for _ in range(5):
        glymph.batch_prune([often], "archive", dry_run=True)
    assert glymph.get(often) == before
    assert glymph.batch_prune([often], "archive").succeeded == (often,)


# evidence


@ACTIONS
@pytest.mark.parametrize("kind", ["derived_from", "generalizes"])
def test_the_last_evidence_of_what_stays_is_kept(glymph, clock, action, kind):
    first, second = events(glymph)
    lesson = lesson_of(glymph, first, second, kind=kind)
    clock.advance(days=100)
    done = glymph.batch_prune([first, second], action)
    assert len(done.succeeded) == 1
    ((kept, why),) = reasons(done).items()
    assert {kept, *done.succeeded} == {first, second}
    assert f"'Never deploy before a weekend' ({lesson}) rests on it alone" in why
    assert glymph.delete([kept]).succeeded == ()  # not by name either
    assert set(glymph.batch_prune([kept, lesson], action).succeeded) == {
        kept,
        lesson,
    }  # unless both go


def test_evidence_of_what_is_away_or_superseded_may_go(glymph, clock):
    first, second = events(glymph)
    away, replaced = (
        lesson_of(glymph, first),
        lesson_of(glymph, second, text="The office is in Bonn"),
    )
    glymph.archive(away)
    glymph.supersede(replaced, "We all work from home")
    clock.advance(days=100)
    assert set(glymph.batch_prune([first, second], "archive").succeeded) == {first, second}


def test_what_has_to_stay_keeps_its_own_evidence_too(glymph, clock):
    event = events(glymph, 1)[0]
    lesson = lesson_of(glymph, event)
    part = glymph.add("A checklist for deployments", links=[(lesson, "derived_from")]).id
    clock.advance(days=100)
    done = glymph.batch_prune([event, lesson], "archive")
    assert (done.succeeded, reasons(done).keys()) == ((), {event, lesson})
    assert len(glymph.batch_prune([event, lesson, part], "archive").succeeded) == 3


def test_a_whole_may_go_although_its_parts_stay(glymph, clock):
    whole = events(glymph, 1)[0]
    part = glymph.add("A checklist for deployments", links=[(whole, "part_of")]).id
    clock.advance(days=100)
    assert glymph.archive(whole).succeeded == (whole,)
    assert glymph.get(part).state == "LIVE"


# cascade


def planned(glymph, clock):
    """An old event on which a much fresher lesson and its checklist rest.

    And a plan that shows the event.
    """
    event = events(glymph, 1)[0]
    clock.advance(days=400)
    lesson = lesson_of(glymph, event)
    part = glymph.add("A checklist for deployments", links=[(lesson, "part_of")]).id
    glymph.link(lesson, event, "derived_from", 0.1)
    clock.advance(days=5)
    plan = glymph.analyze(min_staleness=0.8)
    assert plan.node_ids == (event,)
    return plan, event, lesson, part


@ACTIONS
def test_a_plan_shows_what_a_cascade_takes_along_and_undo_brings_all_of_it_back(
    glymph, clock, action
):
    plan, event, lesson, part = planned(glymph, clock)
    assert set(plan.groups[0].impact.cascade) == {lesson, part}
    assert "with cascade 2 more would go" in plan.text
    before = image(glymph)
    assert glymph.prune(plan, action=action).succeeded == ()
    done = glymph.prune(plan, action=action, cascade=True)
    assert (done.succeeded, set(done.cascaded)) == ((event,), {lesson, part})
    assert {glymph.get(one).state for one in (event, lesson, part)} != {"LIVE"}
    glymph.undo(done.operation_id)
    assert image(glymph) == before


def test_a_cascade_takes_nothing_that_the_plan_did_not_show(glymph, clock):
    plan, event, lesson, part = planned(glymph, clock)
    late = glymph.add("Ask the night shift before a release", links=[(part, "derived_from")]).id
    clock.advance(hours=1)
    done = glymph.prune(plan, cascade=True)
    assert (done.succeeded, done.cascaded) == ((event,), (lesson,))
    assert {glymph.get(one).state for one in (part, late)} == {
        "LIVE"
    }  # late rests on it, and was not shown


def test_a_cascade_leaves_what_was_used_since_the_plan(glymph, clock):
    plan, event, lesson, _ = planned(glymph, clock)
    clock.advance(hours=1)
    used(glymph, lesson)
    done = glymph.prune(plan, cascade=True)
    assert (done.succeeded, done.cascaded) == ((), ())
    assert lesson in reasons(done)[event]
    assert "changed or used since the plan was made" in reasons(done)[event]


@ACTIONS
def test_what_is_pinned_is_not_taken_along_and_keeps_what_it_rests_on(glymph, clock, action):
    event = events(glymph, 1)[0]
    lesson = lesson_of(glymph, event)
    part = glymph.add("A checklist for deployments", links=[(lesson, "part_of")]).id
    glymph.pin(lesson)
    clock.advance(days=400)
    plan = glymph.analyze(min_staleness=0)
    done = glymph.prune(plan, ids=[event], action=action, cascade=True)
    assert (done.succeeded, done.cascaded) == ((), ())
    assert f"({lesson}) rests on it alone and cannot go along: it is pinned" in reasons(done)[event]
    assert {glymph.get(one).state for one in (event, lesson, part)} == {"LIVE"}


def test_what_has_other_evidence_is_not_taken_along(glymph, clock):
    first, second = events(glymph)
    lesson = lesson_of(glymph, first, second)
    clock.advance(days=100)
    done = glymph.prune(glymph.analyze(min_staleness=0), ids=[first], cascade=True)
    assert (done.succeeded, done.cascaded, glymph.get(lesson).state) == ((first,), (), "LIVE")


def test_what_goes_along_counts_towards_the_cap(glymph, clock):
    event = events(glymph, 1)[0]
    glymph.add_many(
        [
            {
                "text": f"Rule {n}: ask {name} first",
                "kind": "lesson",
                "links": [(event, "derived_from")],
            }
            for n, name in enumerate("Ada Bob Cleo Dan Eve Finn Gus Hana Ida Jon".split())
        ]
    )
    clock.advance(days=400)
    plan, before = glymph.analyze(min_staleness=0), image(glymph)
    with pytest.raises(errors.TooMany, match="11 memories would go, but at most 10 may"):
        glymph.prune(plan, ids=[event], cascade=True)
    assert image(glymph) == before
    assert len(glymph.prune(plan, ids=[event], cascade=True, confirm_large=True).cascaded) == 10
