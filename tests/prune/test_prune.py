"""Pruning: exactly what a plan showed, or what was named, in one transaction that can be undone."""

from __future__ import annotations

from threading import Barrier, Thread

import pytest

from glymph import Glymph, errors
from glymph.store.writer import Writer
from glymph.tools import all_tools
from tests.grounds.pruning import chained, image, remembered, used

NOBODY = "01900000-0000-7000-8000-000000000000"


def states(glymph, ids):
    return {glymph.get(memory_id).state for memory_id in ids}


def reasons(receipt):
    return {one.id: one.reason for one in [*receipt.skipped, *receipt.failed]}


# a plan


def test_analysed_shown_and_pruned_the_stale_goes_and_the_fresh_stays(glymph, clock):
    stale = chained(glymph, remembered(glymph, 4))
    clock.advance(days=400)
    fresh = chained(glymph, remembered(glymph, 4, "Box"))
    plan = glymph.analyze()
    assert set(plan.node_ids) == set(stale)
    done = glymph.prune(plan.id)
    assert (set(done.succeeded), done.skipped, done.failed) == (set(stale), (), ())
    assert states(glymph, stale) == {"ARCHIVED"}
    assert states(glymph, fresh) == {"LIVE"}
    assert glymph.search("Item shelf aisle", limit=20)
    assert not {hit.memory.id for hit in glymph.search("Item shelf aisle", limit=20)} & set(stale)
    assert glymph.analyze().totals.archived == 4
    (operation,) = glymph.operations(verb="prune")
    assert (operation.reason, operation.actor) == (f"plan {plan.id}", "user")


@pytest.mark.parametrize(("action", "state"), [("archive", "ARCHIVED"), ("delete", "TRASHED")])
def test_undo_brings_back_the_very_same_and_the_plan_works_again(glymph, clock, action, state):
    ids = chained(glymph, remembered(glymph, 6))
    glymph.clusters.create("shelf")
    glymph.clusters.add("shelf", ids[:3])
    clock.advance(days=400)
    plan = glymph.analyze()
    before, found = image(glymph), [hit.memory.id for hit in glymph.search("shelf aisle")]
    done = glymph.prune(plan, action=action)
    assert states(glymph, ids) == {state}
    undone = glymph.undo(done.operation_id)
    assert (undone.skipped, image(glymph)) == ((), before)
    assert [hit.memory.id for hit in glymph.search("shelf aisle")] == found
    assert set(glymph.prune(plan, action=action).succeeded) == set(ids)
    assert glymph.verify().ok


def test_members_changed_or_used_since_are_left_and_named(glymph, clock):
    ids = chained(glymph, remembered(glymph, 6))
    clock.advance(days=400)
    plan = glymph.analyze()
    glymph.update(ids[0], text="The shelf was emptied last week")
    used(glymph, ids[2])
    glymph.pin(ids[4])
    done = glymph.prune(plan, confirm_large=True)
    assert set(done.succeeded) == {ids[1], ids[3], ids[5]}
    assert reasons(done) == {
        ids[0]: "it was changed or used since the plan was made; analyse again",
        ids[2]: "it was changed or used since the plan was made; analyse again",
        ids[4]: "it is pinned; unpin it first",
    }
    assert glymph.operations(verb="prune")[0].details["skipped"]


def test_chosen_groups_or_ids_go_and_nothing_else(glymph, clock):
    first, second = (
        chained(glymph, remembered(glymph, 3)),
        chained(glymph, remembered(glymph, 2, "Box")),
    )
    clock.advance(days=400)
    other = remembered(glymph, 1, "Crate")[0]
    plan = glymph.analyze()
    number = next(group.group for group in plan.groups if set(group.node_ids) == set(second))
    assert set(glymph.prune(plan, groups=[number, number]).succeeded) == set(second)
    done = glymph.prune(plan, ids=[first[0], first[0], other, NOBODY, second[0]])
    assert done.succeeded == (first[0],)
    assert reasons(done) == {
        other: "it is not part of this plan",
        NOBODY: "no such memory in this space",
        second[0]: "it is ARCHIVED already",
    }
    assert [one.id for one in done.failed] == [NOBODY]
    assert states(glymph, first[1:]) == {"LIVE"}


@pytest.mark.parametrize(
    "asked",
    [
        {"groups": [9]}, {"groups": [0]}, {"groups": ["1"]}, {"groups": []}, {"groups": [True]}, {"groups": [[1]]},
        {"ids": []}, {"groups": [1], "ids": [NOBODY]}, {"action": "shred"}, {"action": "ARCHIVE"},
    ],
)  # fmt: skip
def test_what_is_not_understood_is_refused_and_nothing_goes(glymph, clock, asked):
    ids = chained(glymph, remembered(glymph, 2))
    clock.advance(days=400)
    plan, before = glymph.analyze(), image(glymph)
    with pytest.raises(errors.InvalidInput):
        glymph.prune(plan, **asked)
    assert (image(glymph), states(glymph, ids)) == (before, {"LIVE"})


def test_a_dry_run_says_what_would_go_and_changes_nothing(glymph, clock):
    ids = chained(glymph, remembered(glymph, 4))
    glymph.pin(ids[0])
    clock.advance(days=400)
    plan, before = glymph.analyze(), image(glymph)
    operations = len(glymph.operations())
    would = glymph.prune(plan, dry_run=True)
    assert (image(glymph), len(glymph.operations()), would.operation_id) == (before, operations, "")
    done = glymph.prune(plan)
    assert (would.succeeded, would.skipped, would.failed) == (
        done.succeeded,
        done.skipped,
        done.failed,
    )


def test_more_than_the_cap_must_be_confirmed_and_until_then_nothing_goes(glymph, clock):
    ids = chained(glymph, remembered(glymph, 60))
    clock.advance(days=400)
    plan, before = glymph.analyze(), image(glymph)
    for prune in (
        lambda **more: glymph.prune(plan, **more),
        lambda **more: glymph.batch_prune(ids, "delete", **more),
    ):
        with pytest.raises(
            errors.TooMany, match="60 memories would go, but at most 12 may"
        ) as refused:
            prune()
        assert (refused.value.count, refused.value.most, image(glymph)) == (60, 12, before)
        done = prune(confirm_large=True)
        assert set(done.succeeded) == set(ids)
        glymph.undo(done.operation_id)
    assert len(glymph.prune(plan, ids=ids[:12]).succeeded) == 12


def test_two_that_prune_one_plan_at_once_move_each_member_once(url, clock):
    with Glymph.open(url, clock=clock) as glymph:
        ids = chained(glymph, remembered(glymph, 40))
        clock.advance(days=400)
        plan = glymph.analyze()
        receipts, together = [], Barrier(4)

        def prune():
            with Glymph.open(url, clock=clock) as own:
                together.wait()
                receipts.append(own.prune(plan.id, confirm_large=True))

        threads = [Thread(target=prune) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        moved = [memory_id for receipt in receipts for memory_id in receipt.succeeded]
        assert sorted(moved) == sorted(ids)
        late = [reason for receipt in receipts for reason in reasons(receipt).values()]
        assert set(late) == {"it is ARCHIVED already"}
        assert len(late) == 3 * 40
        assert glymph.verify().ok


def test_a_failure_in_the_middle_leaves_nothing_half_done(glymph, clock, monkeypatch):
    ids = chained(glymph, remembered(glymph, 10))
    clock.advance(days=400)
    plan, before = glymph.analyze(), image(glymph)
    operations = len(glymph.operations())
    whole = Writer.set_state

    def half(self, keys, **goal):
        whole(self, list(keys)[:5], **goal)
        raise errors.StoreFull("the disk")

    monkeypatch.setattr(Writer, "set_state", half)
    for act in (
        lambda: glymph.prune(plan),
        lambda: glymph.batch_prune(ids, "delete"),
        lambda: glymph.archive(ids),
    ):
        with pytest.raises(errors.StoreFull):
            act()
        assert (image(glymph), len(glymph.operations())) == (before, operations)
    monkeypatch.undo()
    assert len(glymph.prune(plan).succeeded) == 10


# a batch by id


def test_a_batch_is_archived_or_trashed_in_one_operation(glymph, clock):
    ids = chained(glymph, remembered(glymph, 50))
    clock.advance(days=10)
    before = len(glymph.operations(limit=200))
    done = glymph.batch_prune(ids, "archive", confirm_large=True, reason="moved house")
    assert (done.succeeded, done.recoverable_until) == (tuple(ids), None)
    assert len(glymph.operations(limit=200)) == before + 1
    assert glymph.operations(limit=1)[0].reason == "moved house"
    deleted = glymph.batch_prune(ids[:20], "delete", confirm_large=True)
    assert states(glymph, ids[:20]) == {"TRASHED"}
    assert deleted.recoverable_until is not None
    assert glymph.edges(ids[0]) == []  # their links are not seen while they are away


def test_a_batch_reports_what_went_what_was_left_and_what_failed(glymph, clock):
    ids = remembered(glymph, 30)
    glymph.archive(ids[10:15])
    for memory_id in ids[15:20]:
        glymph.pin(memory_id)
    clock.advance(days=10)
    unknown = [NOBODY[:-2] + f"{n:02d}" for n in range(10)]
    done = glymph.batch_prune([*ids[:20], *unknown, *ids[:3]], "archive", confirm_large=True)
    assert done.succeeded == tuple(ids[:10])
    assert [one.id for one in done.skipped] == ids[10:20]
    assert [one.id for one in done.failed] == unknown
    assert {one.reason for one in done.failed} == {"no such memory in this space"}
    assert states(glymph, ids[20:]) == {"LIVE"}


def test_deleted_with_their_links_they_come_back_with_their_links(glymph, clock):
    ids = remembered(glymph, 30)
    for at, memory_id in enumerate(ids):
        glymph.link(memory_id, ids[(at + 1) % 30])
        glymph.link(memory_id, ids[(at + 2) % 30], "related_to")
    clock.advance(days=10)
    before = image(glymph)
    done = glymph.batch_prune(ids, "delete", confirm_large=True)
    assert glymph.graph().edges == ()
    glymph.undo(done.operation_id)
    assert image(glymph) == before
    assert len(glymph.graph().edges) == 60


@pytest.mark.parametrize(
    ("ids", "action"), [([], "archive"), ([NOBODY], "burn"), ([NOBODY], ""), ([3], "archive")]
)
def test_a_batch_without_ids_or_of_another_action_is_refused(glymph, ids, action):
    with pytest.raises(errors.InvalidInput):
        glymph.batch_prune(ids, action)


def test_the_tool_prunes_by_plan_and_by_id_and_says_how_it_could_not(glymph, clock):
    tool = all_tools()["batch_prune"]
    ids = chained(glymph, remembered(glymph, 4))
    clock.advance(days=400)
    plan = glymph.analyze()
    would = tool.preview(glymph, tool.arguments(plan=plan.id, groups=[1]))
    assert (would["would"], set(would["succeeded"]), states(glymph, ids)) == (
        "archive",
        set(ids),
        {"LIVE"},
    )
    answer = tool.run(glymph, tool.arguments(plan=plan.id, groups=[1]))
    assert set(answer["succeeded"]) == set(ids)
    glymph.undo(answer["operation_id"])
    answer = tool.run(glymph, tool.arguments(node_ids=[ids[0], NOBODY], action="delete"))
    assert answer["succeeded"] == [ids[0]]
    assert answer["failed"] == [{"id": NOBODY, "reason": "no such memory in this space"}]
    for bad in ({}, {"node_ids": []}, {"node_ids": [NOBODY], "action": "burn"}, {"groups": [1]}):
        with pytest.raises(errors.InvalidInput):
            tool.run(glymph, tool.arguments(**bad))
