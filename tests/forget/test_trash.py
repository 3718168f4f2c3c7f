"""The trash: what is in it and until when, and emptying it for good.

Also bringing back what a hash stands for.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph, errors
from glymph.jobs.job import Trigger
from glymph.jobs.registry import all_jobs
from glymph.tools import all_tools
from tests.grounds.pruning import image

TEXTS = (
    "The cellar is damp in spring", "Bottles are stored behind the furnace", "The furnace rattles when it rains",
    "Wine likes the cold", "The key hangs by the door", "A lamp flickers at night",
)  # fmt: skip


def remembered(glymph, count):
    return [glymph.add(text).id for text in TEXTS[:count]]


def call(glymph, hash):
    tool = all_tools()["restore_from_hash"]
    return tool.run(glymph, tool.arguments(hash=hash))


# the trash


def test_what_expires_first_is_on_top(glymph, clock):
    first, second, third, kept, archived = remembered(glymph, 5)
    glymph.archive(archived)
    glymph.delete(second)
    clock.advance(days=3)
    glymph.batch_prune([first], "delete")
    clock.advance(days=3)
    glymph.execute_prune([third], "orphan")
    listed = glymph.trash()
    assert [(one.id, one.by) for one in listed] == [
        (second, "delete"),
        (first, "prune"),
        (third, "execute_prune"),
    ]
    assert [one.recoverable_until for one in listed] == [
        clock.now + timedelta(days=d) for d in (24, 27, 30)
    ]
    assert (listed[0].title, listed[0].kind) == (TEXTS[1], "note")
    assert kept not in {one.id for one in listed}
    clock.advance(days=100)
    assert [one.id for one in glymph.trash()] == [second, first, third]


def test_only_what_has_been_there_for_its_time_is_removed_for_good(glymph, clock):
    first, second, third = remembered(glymph, 3)
    glymph.delete(first)
    clock.advance(days=10)
    glymph.delete(second)
    clock.advance(days=20, seconds=-1)
    assert glymph.trash.empty().succeeded == ()
    clock.advance(seconds=1)
    done = glymph.trash.empty()
    assert (done.succeeded, done.verb) == ((first,), "purge")
    assert [one.id for one in glymph.trash()] == [second]
    assert glymph.get(third).state == "LIVE"
    with pytest.raises(errors.MemoryNotFound):
        glymph.get(first)
    with pytest.raises(errors.NotUndoable):
        glymph.undo(done.operation_id)
    assert glymph.verify().ok


def test_what_replaced_a_pinned_memory_and_was_replaced_itself_can_go(glymph, clock):
    oldest = glymph.add("The depot is in Lyon.").id
    _, older = glymph.supersede(oldest, "The depot is in Metz.").succeeded
    _, newest = glymph.supersede(older, "The depot is in Reims.").succeeded
    glymph.pin(oldest)
    clock.advance(days=10)
    glymph.delete(older)
    clock.advance(days=60)
    assert glymph.lifecycle().purged == 1
    assert glymph.get(oldest).pinned
    assert glymph.get(oldest).superseded_by is None
    assert glymph.get(newest).state == "LIVE"


def test_a_pinned_memory_in_the_trash_stays_and_keeps_nothing_else_there(glymph, clock):
    pinned, gone, other = remembered(glymph, 3)
    glymph.delete([pinned, gone, other])
    glymph.pin(pinned)
    assert glymph.trash.empty(all=True).succeeded != ()
    assert [one.id for one in glymph.trash()] == [pinned]
    late = glymph.add("A plum cake for late guests").id
    glymph.delete([late])
    clock.advance(days=40)
    assert [one.id for one in glymph.trash() if one.expired] == [late]
    assert glymph.lifecycle().purged == 1
    done = glymph.trash.empty()
    assert (done.succeeded, [one.id for one in done.skipped]) == ((), [pinned])
    assert "pinned" in done.skipped[0].reason
    assert glymph.lifecycle().purged == 0
    glymph.unpin(pinned)
    assert glymph.trash.empty().succeeded == (pinned,)
    assert glymph.verify().ok


def told_and_trashed(glymph, count):
    ids = [
        one.id for one in glymph.add_many([f"The cellar holds bottle {n}." for n in range(count)])
    ]
    for start in range(0, count, 5):
        glymph.delete(ids[start : start + 5])
    return ids


@pytest.mark.parametrize("actor", ["daemon", "user"])
def test_upkeep_empties_it_only_so_far_in_a_day_and_says_what_waits(url, clock, actor):
    run = next(job.run for job in all_jobs() if job.name == "trash")
    quiet = {"compare": "off", "trash_daily": 4}
    with Glymph.open(url, clock=clock, actor=actor, settings=quiet) as upkeep:
        told_and_trashed(upkeep, 10)
        clock.advance(days=31)
        assert run(upkeep.context, Trigger()) == {"purged": 4, "waiting": 6}
        assert run(upkeep.context, Trigger())["purged"] == 0
        assert len(upkeep.trash()) == 6
        clock.advance(days=1.01)
        assert run(upkeep.context, Trigger()) == {"purged": 4, "waiting": 2}
        clock.advance(days=1.01)
        assert run(upkeep.context, Trigger()) == {"purged": 2, "waiting": 0}
        assert run(upkeep.context, Trigger())["purged"] == 0
        assert upkeep.trash() == []


def test_a_person_empties_it_whole(url, clock):
    quiet = {"compare": "off", "trash_daily": 4}
    with Glymph.open(url, clock=clock, actor="user", settings=quiet) as person:
        told_and_trashed(person, 10)
        clock.advance(days=31)
        assert len(person.trash.empty().succeeded) == 10


@pytest.mark.parametrize("actor", ["agent", "daemon", "hook"])
def test_nobody_else_empties_it_whole(url, clock, actor):
    quiet = {"compare": "off", "trash_daily": 4}
    with Glymph.open(url, clock=clock, actor=actor, settings=quiet) as program:
        told_and_trashed(program, 10)
        with pytest.raises(errors.Refused, match="person"):
            program.trash.empty(all=True)
        clock.advance(days=31)
        assert len(program.trash.empty().succeeded) == 4
        assert len(program.trash()) == 6


def test_what_expires_leaves_nothing_that_keeps_it_from_being_learnt_again(glymph, clock):
    (memory_id,) = remembered(glymph, 1)
    glymph.delete(memory_id)
    clock.advance(days=31)
    glymph.trash.empty()
    assert glymph.tombstones() == ()
    assert glymph.add(TEXTS[0]).created


def test_all_of_it_goes_when_asked_for(glymph):
    first, second, third = remembered(glymph, 3)
    glymph.delete([first, second])
    assert set(glymph.trash.empty(all=True).succeeded) == {first, second}
    assert glymph.trash() == []
    assert glymph.get(third).state == "LIVE"


def test_time_in_the_trash_counts_from_the_last_time_it_went_there(glymph, clock):
    (memory_id,) = remembered(glymph, 1)
    glymph.delete(memory_id)
    clock.advance(days=20)
    glymph.restore(memory_id)
    glymph.delete(memory_id)
    clock.advance(days=20)
    assert glymph.trash.empty().succeeded == ()
    assert glymph.trash()[0].recoverable_until == clock.now + timedelta(days=10)


def test_until_it_is_emptied_everything_can_be_restored_after_any_restart(glymph, clock, url):
    ids = remembered(glymph, 3)
    glymph.delete(ids)
    clock.advance(days=90)
    with Glymph.open(url, clock=clock) as again:
        assert {one.id for one in again.trash()} == set(ids)
        assert again.restore(ids).succeeded == tuple(ids)
        assert {again.get(one).state for one in ids} == {"LIVE"}


# by a hash


@pytest.mark.parametrize("verb", ["archive", "delete", "prune", "execute_prune"])
def test_the_hash_of_a_receipt_brings_back_what_the_operation_put_away(glymph, clock, verb):
    ids = remembered(glymph, 3)
    clock.advance(days=400)
    if verb == "prune":
        receipt = glymph.prune(glymph.analyze(include_isolated=True))
    elif verb == "execute_prune":
        receipt = glymph.execute_prune(ids, "orphan").receipt
    else:
        receipt = getattr(glymph, verb)(ids)
    glymph.restore(ids[0])
    answer = call(glymph, receipt.hash)
    assert set(answer["succeeded"]) == set(ids[1:])
    assert {glymph.get(one).state for one in ids} == {"LIVE"}
    assert glymph.operations(limit=1)[0].reason == f"hash {receipt.hash}"


def test_a_restore_by_hash_can_itself_be_undone(glymph):
    ids = remembered(glymph, 2)
    receipt = glymph.delete(ids)
    before = image(glymph)
    glymph.undo(glymph.restore_from_hash(receipt.hash.upper()).operation_id)
    assert image(glymph) == before


def test_a_content_hash_brings_back_the_memory_that_says_it(glymph):
    first, second = remembered(glymph, 2)
    said = glymph.get(first).content_hash
    glymph.archive([first, second])
    assert glymph.restore_from_hash(said).succeeded == (first,)
    assert glymph.get(second).state == "ARCHIVED"


def test_a_content_that_several_share_is_ambiguous_and_names_them(glymph):
    (first,) = remembered(glymph, 1)
    said = glymph.get(first).content_hash
    glymph.archive(first)
    second = glymph.add(TEXTS[0]).id
    glymph.delete(second)
    before = image(glymph)
    with pytest.raises(errors.Ambiguous) as refused:
        glymph.restore_from_hash(said)
    assert refused.value.candidates == ((first, TEXTS[0]), (second, TEXTS[0]))
    answer = call(glymph, said)
    assert answer["succeeded"] == []
    assert [one["id"] for one in answer["candidates"]] == [first, second]
    assert image(glymph) == before


def test_what_is_live_already_is_said_to_be(glymph):
    (first,) = remembered(glymph, 1)
    with pytest.raises(errors.Refused, match=r"live.*nothing to restore"):
        glymph.restore_from_hash(glymph.get(first).content_hash)
    receipt = glymph.archive(first)
    glymph.restore(first)
    with pytest.raises(errors.Refused, match="nothing to restore"):
        glymph.restore_from_hash(receipt.hash)


def test_what_was_purged_is_a_typed_error(glymph):
    first, second = remembered(glymph, 2)
    operation = glymph.archive([first, second]).operation_id
    glymph.delete(first)
    glymph.trash.empty(all=True)
    sealed = next(one.hash for one in glymph.operations() if one.id == operation)
    assert glymph.restore_from_hash(sealed).succeeded == (second,)  # the rest comes back
    glymph.delete(second)
    glymph.trash.empty(all=True)
    sealed = next(one.hash for one in glymph.operations() if one.id == operation)
    with pytest.raises(errors.Purged, match="does not come back"):
        glymph.restore_from_hash(sealed)


def test_what_an_undo_took_away_is_not_said_to_be_purged(glymph):
    added = glymph.add(TEXTS[0])
    said = next(one.hash for one in glymph.operations() if one.id == added.operation_id)
    undone = glymph.undo(added.operation_id)
    with pytest.raises(errors.Refused, match="undo") as refused:
        glymph.restore_from_hash(said)
    assert not isinstance(refused.value, errors.Purged)
    glymph.undo(undone.operation_id)
    assert glymph.get(added.id).text == TEXTS[0]


@pytest.mark.parametrize("hash", ["0" * 64, "nonsense", "%"])
def test_an_unknown_hash_is_not_found(glymph, hash):
    remembered(glymph, 1)
    with pytest.raises(errors.HashNotFound, match="content_hash"):
        glymph.restore_from_hash(hash)


def test_no_hash_is_no_input(glymph):
    for nothing in ("", "   ", None, 7):
        with pytest.raises(errors.GlymphError):
            glymph.restore_from_hash(nothing)


def test_a_merge_has_a_hash_and_its_parts_come_back_by_undo(glymph):
    first, second = remembered(glymph, 2)
    done = glymph.merge([first, second])
    with pytest.raises(errors.Refused, match="nothing to restore"):
        glymph.restore_from_hash(done.hash)
    glymph.undo(done.operation_id)
    assert glymph.get(first).superseded_by is None


def test_a_hash_of_another_space_is_unknown_here(glymph, url, clock):
    receipt = glymph.archive(remembered(glymph, 1))
    with Glymph.open(url, clock=clock, space="other") as other, pytest.raises(errors.HashNotFound):
        other.restore_from_hash(receipt.hash)
