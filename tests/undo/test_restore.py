"""Archive, trash, restore, pins; and the way back from each."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph, errors
from glymph.testing import logical_image


def image(glymph):
    return logical_image(glymph._ctx.store, glymph.space)


def test_each_id_left_alone_has_a_reason(glymph, clock):
    plain, pinned, gone = glymph.add("a b"), glymph.add("c d", pinned=True), glymph.add("e f")
    glymph.delete(gone.id)
    (me,) = glymph.list(kinds=["self"])
    receipt = glymph.archive(
        [plain.id, pinned.id, gone.id, me.id, "nonsense", plain.id], reason="spring cleaning"
    )
    assert receipt.succeeded == (plain.id,)
    assert {r.id: r.reason for r in receipt.skipped} == {
        pinned.id: "it is pinned; unpin it first",
        gone.id: "it is in the trash; restore it first",
        me.id: "it is protected",
    }
    assert [r.id for r in receipt.failed] == ["nonsense"]
    assert glymph.operations(limit=1)[0].reason == "spring cleaning"
    assert glymph.archive(plain.id).skipped[0].reason == "it is ARCHIVED already"


def test_the_trash_says_how_long_it_keeps(glymph, clock):
    added = glymph.add("to the bin")
    receipt = glymph.delete(added.id)
    assert receipt.recoverable_until == clock.now + timedelta(days=30)
    assert glymph.delete(added.id).recoverable_until is None
    assert glymph.get(added.id).state == "TRASHED"
    glymph.restore(added.id)
    assert glymph.get(added.id).state == "LIVE"


def test_a_pinned_memory_stays_until_it_is_unpinned(glymph):
    added = glymph.add("keep me")
    glymph.pin(added.id)
    assert glymph.delete(added.id).succeeded == ()
    glymph.unpin(added.id)
    assert glymph.delete(added.id).succeeded == (added.id,)


def test_decay_never_brings_back_what_was_archived(glymph, clock):
    added = glymph.add("archived for good")
    glymph.archive(added.id)
    clock.advance(days=700)
    found = glymph.recall("archived", states=["ARCHIVED"])
    glymph.report(found.id, used=[added.id])
    memory = glymph.get(added.id)
    assert (memory.state, memory.lifecycle) == ("ARCHIVED", "DORMANT")


@pytest.mark.parametrize("ids", [[], "", None, [None], 3])
def test_ids_must_be_ids(glymph, ids):
    if ids == "":
        assert glymph.archive(ids).failed[0].id == ""
        return
    with pytest.raises((errors.InvalidInput, TypeError)):
        glymph.archive(ids)


def test_a_batch_above_the_limit_is_refused_whole(glymph):
    with pytest.raises(errors.InvalidInput, match="50,000"):
        glymph.archive([f"id{n}" for n in range(50_001)])


# undo


VERBS = {
    "add": lambda g, a, b: g.add("new one", links=[a]),
    "add again": lambda g, a, b: g.add("first memory"),
    "update": lambda g, a, b: g.update(a, text="other words", tags=["x"], kind="fact"),
    "archive": lambda g, a, b: g.archive([a, b]),
    "delete": lambda g, a, b: g.delete([a, b]),
    "pin": lambda g, a, b: g.pin(a),
    "link": lambda g, a, b: g.link(b, a, "caused_by", 0.33),
    "unlink": lambda g, a, b: g.unlink(a, b, "related_to"),
    "report": lambda g, a, b: g.report(g.recall("memory").id, confirmed=[a, b]),
    "create cluster": lambda g, a, b: g.clusters.create("new"),
    "delete cluster": lambda g, a, b: g.clusters.delete("old"),
    "cluster": lambda g, a, b: g.clusters.add("old", b),
    "uncluster": lambda g, a, b: g.clusters.remove("old", a),
    "write": lambda g, a, b: g.write("a new page"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_undo_restores_the_image_of_every_verb_and_undo_of_undo_brings_it_back(glymph, clock, verb):
    a = glymph.add("first memory").id
    b = glymph.add("second memory").id
    glymph.link(a, b, "related_to")
    glymph.clusters.create("old")
    glymph.clusters.add("old", a)
    glymph.write("an old page")
    clock.advance(days=5)
    found = [h.memory.id for h in glymph.search("memory words")]
    before = image(glymph)
    done = VERBS[verb](glymph, a, b)
    after = image(glymph)
    assert after != before
    undone = glymph.undo(done.operation_id)
    assert image(glymph) == before
    assert [h.memory.id for h in glymph.search("memory words")] == found
    assert (undone.skipped, undone.failed) == ((), ())
    glymph.undo(undone.operation_id)
    assert image(glymph) == after
    assert glymph.verify().ok


def test_undo_without_an_id_goes_back_step_by_step(glymph, clock):
    before = image(glymph)
    a = glymph.add("one")
    glymph.update(a.id, text="two")
    glymph.recall("two", reinforce=True)  # a use is not what one wants back
    glymph.undo()
    assert glymph.get(a.id).text == "one"
    assert glymph.undo().skipped[0].id == a.id  # it was used since: left alone
    glymph.undo(next(op for op in glymph.operations() if op.verb == "report").id)
    glymph.undo()
    assert image(glymph) == before
    with pytest.raises(errors.OperationNotFound, match="Nothing to undo"):
        glymph.undo()


def test_undo_takes_only_the_actors_own_operations_unless_named(url, clock):
    with (
        Glymph.open(url, clock=clock, actor="agent") as agent,
        Glymph.open(url, clock=clock, actor="ada") as ada,
    ):
        hers, mine = ada.add("hers"), agent.add("mine")
        ada.undo()
        assert [m.id for m in ada.list()] == [mine.id]
        ada.undo(mine.operation_id)
        assert len(ada.list()) == 0
        assert hers.created


def test_what_was_changed_since_is_a_conflict_and_left_alone(glymph):
    a, b = glymph.add("first"), glymph.add("second")
    archived = glymph.archive([a.id, b.id])
    glymph.restore(a.id)
    receipt = glymph.undo(archived.operation_id)
    assert receipt.succeeded == (b.id,)
    assert [(r.id, "changed since" in r.reason) for r in receipt.skipped] == [(a.id, True)]
    assert (glymph.get(a.id).state, glymph.get(b.id).state) == ("LIVE", "LIVE")


def test_undoing_an_addition_with_links_made_since_leaves_it_alone(glymph):
    a, b = glymph.add("first"), glymph.add("second")
    glymph.link(a.id, b.id)
    receipt = glymph.undo(a.operation_id)
    assert receipt.succeeded == ()
    assert receipt.skipped[0].id == a.id
    assert glymph.verify().ok


def test_a_use_since_keeps_an_addition_but_does_not_stand_in_the_way_of_other_undos(glymph, clock):
    a = glymph.add("useful")
    clock.advance(days=5)
    found = glymph.recall("useful")
    glymph.archive(a.id)
    restored = glymph.restore(a.id)
    glymph.report(found.id, used=[a.id])
    assert glymph.undo(restored.operation_id).succeeded == (a.id,)
    assert (glymph.get(a.id).state, glymph.get(a.id).access_count) == ("ARCHIVED", 1)
    glymph.restore(a.id)
    assert glymph.undo(a.operation_id).skipped[0].id == a.id
    assert glymph.get(a.id).state == "LIVE"


def test_what_stands_in_the_way_of_an_undo_is_named_and_nothing_is_written(glymph):
    kept = glymph.add("Bob likes tea")
    again = glymph.add("Bob likes tea")
    assert again.duplicate_of == kept.id
    known = glymph.operations()
    for way in ((), (kept.operation_id,)):
        left = glymph.undo(*way)
        assert (left.operation_id, left.succeeded) == ("", ())
        assert [(one.id, one.reason) for one in left.skipped] == [
            (kept.id, f"it was used since, by operation {again.operation_id}: undo that one first")
        ]
    assert glymph.operations() == known
    assert glymph.undo(again.operation_id).succeeded == (kept.id,)
    assert glymph.undo().succeeded == (kept.id,)
    assert glymph.list().items == ()


def test_of_what_came_since_the_newest_that_still_stands_is_named(glymph):
    a = glymph.add("one").id
    first, second, third = (glymph.update(a, title=f"t{n}").operation_id for n in range(3))
    glymph.undo(third)
    (left,) = glymph.undo(first).skipped
    assert left.reason.startswith("changed since: title")
    assert left.reason.endswith(f", by operation {second}: undo that one first")


def test_an_undo_names_what_it_took_back(glymph):
    a = glymph.add("The heron nests by the mill.")
    receipt = glymph.undo()
    assert dict(receipt.titles) == {a.id: "The heron nests by the mill."}


def test_undoing_an_addition_leaves_what_somebody_else_said_since(url, clock):
    with (
        Glymph.open(url, clock=clock, actor="alice") as alice,
        Glymph.open(url, clock=clock, actor="bob") as bob,
    ):
        said = alice.add("the door code is 1234")
        clock.advance(days=2)
        assert bob.add("The door code is 1234").duplicate_of == said.id
        assert alice.undo().succeeded == ()
        assert len(bob.search("door code")) == 1


def test_an_undo_that_met_a_conflict_can_be_tried_again(glymph):
    a = glymph.add("one").id
    first = glymph.update(a, title="t1").operation_id
    second = glymph.update(a, title="t2").operation_id
    assert glymph.undo(first).succeeded == ()
    glymph.undo(second)
    assert glymph.undo(first).succeeded == (a,)
    assert glymph.get(a).title == "one"


def test_undo_never_moves_a_pinned_memory_out_of_life(glymph):
    a = glymph.add("kept").id
    glymph.archive(a)
    glymph.pin(a)
    restored = glymph.restore(a)
    assert glymph.undo(restored.operation_id).skipped[0].reason == "it is pinned; unpin it first"
    assert glymph.get(a).state == "LIVE"
    pinned = glymph.add("made with a pin", pinned=True)
    assert glymph.undo(pinned.operation_id).succeeded == (pinned.id,)


def test_what_was_made_anew_or_filled_or_removed_since_is_a_conflict_not_an_error(glymph):
    a, b = glymph.add("first").id, glymph.add("second")
    glymph.clusters.create("c")
    glymph.clusters.add("c", a)
    out = glymph.clusters.remove("c", a)
    glymph.clusters.add("c", a)
    assert "made anew" in glymph.undo(out.operation_id).skipped[0].reason
    glymph.clusters.create("x")
    dropped = glymph.clusters.delete("x")
    made = glymph.clusters.create("x")
    assert "made anew" in glymph.undo(dropped.operation_id).skipped[0].reason
    glymph.clusters.add("x", a)
    assert "filled since" in glymph.undo(made.operation_id).skipped[0].reason
    unwritten = glymph.undo(glymph.write("p").operation_id)
    glymph.write("q")
    assert "made anew" in glymph.undo(unwritten.operation_id).skipped[0].reason
    put = glymph.clusters.add("c", b.id)
    taken = glymph.undo(put.operation_id)
    glymph.undo(b.operation_id)
    reasons = {r.reason.partition(",")[0] for r in glymph.undo(taken.operation_id).skipped}
    assert reasons == {"it was removed since", "what it joins is gone"}
    other = glymph.add("third").id
    glymph.link(a, other)
    cut = glymph.unlink(a, other)
    glymph.link(a, other)
    assert glymph.undo(cut.operation_id).skipped[0].reason == "the same was made anew since"
    assert glymph.verify().ok


def test_a_cluster_made_anew_keeps_its_old_members_from_coming_back(glymph):
    a = glymph.add("apple").id
    glymph.clusters.create("c")
    glymph.clusters.add("c", a)
    dropped = glymph.clusters.delete("c")
    glymph.clusters.create("c")
    assert {r.reason for r in glymph.undo(dropped.operation_id).skipped} == {
        "the same was made anew since",
        "what it joins is gone",
    }
    assert glymph.verify().ok


def test_undoing_the_first_of_two_links_takes_just_that_link(glymph):
    a, b, c = (glymph.add(word).id for word in ("first", "second", "third"))
    first = glymph.link(a, b)
    glymph.link(a, c)
    receipt = glymph.undo(first.operation_id)
    assert receipt.skipped == ()
    assert [e.target for e in glymph.edges(a)] == [c]


def test_a_long_chain_of_undo_and_redo_stays_usable(glymph):
    operation = glymph.archive(glymph.add("to and fro").id).operation_id
    for _ in range(1100):
        operation = glymph.undo(operation).operation_id
    assert glymph.operations(limit=1)[0].undoable
    glymph.undo()


def test_an_operation_is_undone_once(glymph):
    a = glymph.add("once")
    undone = glymph.undo(a.operation_id)
    with pytest.raises(errors.AlreadyUndone, match=undone.operation_id):
        glymph.undo(a.operation_id)
    glymph.undo(undone.operation_id)
    again = glymph.undo(a.operation_id)
    assert again.succeeded == (a.id,)


def test_some_operations_cannot_be_undone_and_say_why(glymph):
    born = glymph.operations()[-1]
    nothing = glymph.archive("nonsense")
    with pytest.raises(errors.NotUndoable, match="space delete"):
        glymph.undo(born.id)
    with pytest.raises(errors.NotUndoable, match="changed nothing"):
        glymph.undo(nothing.operation_id)
    with pytest.raises(errors.OperationNotFound):
        glymph.undo("nonsense")


def test_undo_reaches_as_far_as_the_journal(glymph, clock):
    a = glymph.add("long ago")
    clock.advance(days=401)
    with pytest.raises(errors.HistoryGone, match="journal_days"):
        glymph.undo(a.operation_id)


def test_another_spaces_operation_does_not_exist_here(url, clock):
    with (
        Glymph.open(url, space="one", clock=clock) as one,
        Glymph.open(url, space="two", clock=clock) as two,
    ):
        added = one.add("ours")
        with pytest.raises(errors.OperationNotFound):
            two.undo(added.operation_id)
        for attempt in (two.get, two.history, two.pin, two.edges):
            with pytest.raises(errors.MemoryNotFound):
                attempt(added.id)
        assert two.delete(added.id).failed[0].id == added.id
