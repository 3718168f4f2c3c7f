"""execute_prune: for one of four reasons into the trash.

And an answer that says exactly what happened.
"""

from __future__ import annotations

from datetime import timedelta
from threading import Barrier, Thread

import pytest

from glymph import Glymph, errors
from glymph.prune.rules import REASONS
from glymph.tools import all_tools
from tests.grounds.pruning import image

NOBODY = "01900000-0000-7000-8000-000000000000"
FIELDS = {
    "pruned_count", "cascade_pruned", "errors", "soft_deleted", "recoverable_until", "reason", "note",
    "operation_id",
}  # fmt: skip


def remembered(glymph, clock, count, word="Item"):
    """Memories old enough to go."""
    added = glymph.add_many(
        [f"{word} {n} lies on shelf {n * 7 % 13} of aisle {n % 5}" for n in range(count)]
    )
    clock.advance(days=5)
    return [one.id for one in added]


def call(glymph, **arguments):
    tool = all_tools()["execute_prune"]
    return tool.run(glymph, tool.arguments(**arguments))


def shown(glymph, **arguments):
    tool = all_tools()["execute_prune"]
    return tool.preview(glymph, tool.arguments(**arguments))


@pytest.mark.parametrize("reason", REASONS)
def test_each_reason_trashes_and_stays_with_the_operation(glymph, clock, reason):
    ids = remembered(glymph, clock, 3)
    answer = call(glymph, node_ids=ids, reason=reason)
    assert answer.keys() == FIELDS
    until = clock.now + timedelta(days=30)
    assert "restored for 30 days" in answer["note"]
    assert answer | {"operation_id": None, "note": None} == {
        "pruned_count": 3, "cascade_pruned": 0, "errors": [], "soft_deleted": True,
        "recoverable_until": until.isoformat(), "reason": reason,
        "note": None, "operation_id": None,
    }  # fmt: skip
    assert {glymph.get(one).state for one in ids} == {"TRASHED"}
    operation = glymph.operations(limit=1)[0]
    assert (operation.id, operation.verb, operation.reason) == (
        answer["operation_id"],
        "execute_prune",
        reason,
    )


def test_what_cannot_go_is_named_with_its_error_and_the_rest_goes(glymph, clock):
    good, pinned, trashed = remembered(glymph, clock, 3)
    glymph.pin(pinned)
    glymph.delete(trashed)
    (me,) = (memory.id for memory in glymph.list(kinds=["self"]))
    answer = call(
        glymph, node_ids=[good, "no-uuid", NOBODY, me, pinned, trashed, good], reason="staleness"
    )
    assert answer["pruned_count"] == 1
    assert all(error.keys() == {"node_id", "error"} for error in answer["errors"])
    assert {error["node_id"]: error["error"] for error in answer["errors"]} == {
        "no-uuid": "this is no UUID; give a memory's id",
        NOBODY: "no such memory in this space",
        me: "it is protected",
        pinned: "it is pinned; unpin it first",
        trashed: "it is TRASHED already",
    }
    assert glymph.get(me).state == "LIVE"


def test_no_ids_are_zeros_and_a_message(glymph):
    before = len(glymph.operations())
    answer = call(glymph, node_ids=[], reason="orphan")
    assert answer.keys() == FIELDS | {"message"}
    assert (answer["pruned_count"], answer["cascade_pruned"], answer["errors"]) == (0, 0, [])
    assert (answer["recoverable_until"], answer["operation_id"]) == (None, None)
    assert "nothing was pruned" in answer["message"]
    assert len(glymph.operations()) == before


def test_where_nothing_was_pruned_nothing_is_said_to_be_recoverable(glymph):
    answer = call(glymph, node_ids=[NOBODY], reason="orphan")
    assert (answer["pruned_count"], answer["recoverable_until"], answer["note"]) == (0, None, "")


@pytest.mark.parametrize("reason", ["", "boredom", "Stale", "STALENESS", "user_requested"])
def test_another_reason_is_a_readable_error_and_nothing_is_done(glymph, clock, reason):
    ids = remembered(glymph, clock, 2)
    before = image(glymph)
    for given in (ids, []):
        with pytest.raises(
            errors.InvalidInput, match="staleness, low_alignment, redundancy, orphan"
        ):
            call(glymph, node_ids=given, reason=reason)
    assert image(glymph) == before


def test_the_operation_undoes_it_bit_for_bit(glymph, clock):
    a, b, c = remembered(glymph, clock, 3)
    glymph.link(a, b)
    glymph.link(b, c, "related_to")
    before = image(glymph)
    answer = call(glymph, node_ids=[a, b], reason="redundancy")
    assert image(glymph) != before
    glymph.undo(answer["operation_id"])
    assert image(glymph) == before


def test_the_note_and_the_date_follow_the_setting(url, clock):
    with Glymph.open(url, clock=clock, settings={"trash_days": 12}) as glymph:
        ids = remembered(glymph, clock, 1)
        done = glymph.execute_prune(ids, "staleness")
        assert done.recoverable_until == clock.now + timedelta(days=12)
        assert "for 12 days" in done.note
        assert glymph.trash()[0].recoverable_until == done.recoverable_until


def with_lesson(glymph, clock):
    """An event, a lesson that rests on it alone, and a part of that lesson.

    And one lesson with other evidence.
    """
    event = glymph.add("The Friday deployment broke the billing page", kind="event").id
    other = glymph.add("Rollbacks took ninety minutes that evening", kind="event").id
    lesson = glymph.add(
        "Never deploy before a weekend", kind="lesson", links=[(event, "derived_from")]
    ).id
    part = glymph.add("A checklist for releases", links=[(lesson, "part_of")]).id
    both = [(event, "derived_from"), (other, "derived_from")]
    safe = glymph.add("Rehearse how to go back a version", kind="lesson", links=both).id
    clock.advance(days=5)
    return event, lesson, part, safe


def test_without_cascade_the_last_evidence_stays(glymph, clock):
    event, lesson, _, _ = with_lesson(glymph, clock)
    answer = call(glymph, node_ids=[event], reason="staleness")
    assert (answer["pruned_count"], answer["cascade_pruned"]) == (0, 0)
    assert lesson in answer["errors"][0]["error"]


def test_cascade_takes_what_only_exists_through_it_and_shows_it_first(glymph, clock):
    event, lesson, part, safe = with_lesson(glymph, clock)
    before = image(glymph)
    would = shown(glymph, node_ids=[event], reason="staleness", cascade=True)
    assert (would["would"], would["memories"], set(would["cascade"])) == (
        "trash",
        [event],
        {lesson, part},
    )
    assert (would["pruned_count"], would["cascade_pruned"], would["note"]) == (1, 2, "")
    assert (would["operation_id"], would["recoverable_until"], image(glymph)) == (
        None,
        None,
        before,
    )
    answer = call(glymph, node_ids=[event], reason="staleness", cascade=True)
    assert (answer["pruned_count"], answer["cascade_pruned"], answer["errors"]) == (1, 2, [])
    assert {glymph.get(one).state for one in (event, lesson, part)} == {"TRASHED"}
    assert glymph.get(safe).state == "LIVE"
    assert {one.id for one in glymph.trash()} == {event, lesson, part}
    glymph.undo(answer["operation_id"])
    assert image(glymph) == before


# a hundred a day


def test_a_hundred_a_day_may_go_and_the_rest_is_said_to_wait(glymph, clock, url):
    ids = remembered(glymph, clock, 130)
    first = glymph.execute_prune(ids[:60], "staleness")
    assert first.pruned_count == 60
    with Glymph.open(
        url, clock=clock, actor="another"
    ) as other:  # the cap is the space's, and is kept
        second = other.execute_prune(ids[60:], "staleness")
        assert (second.pruned_count, len(second.errors)) == (40, 30)
        assert "cap of 100 a day" in second.errors[0]["error"]
        clock.advance(hours=23, minutes=59)
        assert other.execute_prune(ids[100:], "staleness").pruned_count == 0
        clock.advance(minutes=1, seconds=1)
        assert other.execute_prune(ids[100:], "staleness").pruned_count == 30


def test_callers_at_once_share_the_cap(url, clock):
    with Glymph.open(url, clock=clock, settings={"prune_daily": 10}) as glymph:
        ids = remembered(glymph, clock, 24)
        answers, together = [], Barrier(3)

        def prune(some):
            with Glymph.open(url, clock=clock, settings={"prune_daily": 10}) as own:
                together.wait()
                answers.append(own.execute_prune(some, "orphan"))

        threads = [Thread(target=prune, args=[ids[at : at + 8]]) for at in (0, 8, 16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(answer.pruned_count for answer in answers) == len(glymph.trash()) == 10


def test_what_was_undone_does_not_count(url, clock):
    with Glymph.open(url, clock=clock, settings={"prune_daily": 3}) as glymph:
        ids = remembered(glymph, clock, 6)
        glymph.undo(glymph.execute_prune(ids[:3], "orphan").operation_id)
        assert glymph.execute_prune(ids[3:], "orphan").pruned_count == 3
        assert glymph.execute_prune(ids[:3], "orphan").pruned_count == 0


def test_what_goes_along_counts_too_and_none_is_left_half_done(url, clock):
    with Glymph.open(url, clock=clock, settings={"prune_daily": 3}) as glymph:
        event, lesson, part, _ = with_lesson(glymph, clock)
        (single,) = remembered(glymph, clock, 1)
        done = glymph.execute_prune([single, event], "staleness", cascade=True)
        assert (done.pruned_count, done.cascade_pruned) == (1, 0)
        assert [error["node_id"] for error in done.errors] == [event]
        assert {glymph.get(one).state for one in (event, lesson, part)} == {"LIVE"}
        clock.advance(days=2)
        assert glymph.execute_prune([event], "staleness", cascade=True).cascade_pruned == 2


def test_a_plan_is_not_bound_by_the_daily_cap(url, clock):
    with Glymph.open(url, clock=clock, settings={"prune_daily": 1}) as glymph:
        ids = remembered(glymph, clock, 5)
        clock.advance(days=300)
        assert glymph.execute_prune(ids, "staleness").pruned_count == 1
        plan = glymph.analyze(include_isolated=True)
        assert len(glymph.prune(plan, action="delete").succeeded) == 4
