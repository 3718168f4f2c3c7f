"""Adding: what is new, what is known, what is refused."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph, errors
from glymph.testing import logical_image
from glymph.write import add


def test_a_new_memory_is_live_active_and_as_given(glymph, clock):
    added = glymph.add(
        "The deploy key rotates monthly", kind="fact", tags=["ops"], attributes={"days": 30}
    )
    memory = glymph.get(added.id)
    assert added.created
    assert (memory.kind, memory.section, memory.state, memory.lifecycle) == (
        "fact",
        "KNOWLEDGE",
        "LIVE",
        "ACTIVE",
    )
    assert (memory.tags, memory.attributes, memory.created_at) == (
        ("ops",),
        {"days": 30},
        clock.now,
    )
    assert (memory.stability, memory.access_count, memory.version) == (60.0, 0, 1)


def test_saying_it_again_reinforces_the_old_memory_and_keeps_the_wording(glymph, clock):
    first = glymph.add("I like tea", kind="preference")
    clock.advance(days=10)
    again = glymph.add("  i LIKE tea ", kind="preference")
    assert (again.created, again.duplicate_of, again.id) == (False, first.id, first.id)
    memory = glymph.get(first.id)
    assert (memory.access_count, memory.last_used_at) == (1, clock.now)
    assert memory.stability > 60.0
    assert len(glymph.list()) == 1
    assert [c.before["text"] for c in glymph.history(first.id) if c.action == "rejected"] == [
        "  i LIKE tea "
    ]


def test_another_kind_or_event_time_is_another_memory(glymph, clock):
    ids = {
        glymph.add("BTC at 100", kind="signal").id,
        glymph.add("BTC at 100", kind="note").id,
        glymph.add("BTC at 100", kind="signal", event_at=clock.now).id,
    }
    assert len(ids) == 3


def test_an_archived_memory_does_not_swallow_a_new_statement(glymph):
    old = glymph.add("The door code is 1234")
    glymph.archive(old.id)
    assert glymph.add("The door code is 1234").created


def test_an_expired_memory_does_not_swallow_a_new_statement(glymph, clock):
    old = glymph.add("The meeting is in room 4", expires_at=clock.now + timedelta(days=1))
    assert glymph.add("The meeting is in room 4").duplicate_of == old.id
    clock.advance(days=1)
    new = glymph.add("The meeting is in room 4")
    assert new.created
    assert glymph.add("The meeting is in room 4").duplicate_of == new.id
    stale = {"text": "stale", "expires_at": clock.now}
    added = glymph.add_many([stale, "stale", "stale"])
    assert [a.created for a in added] == [True, True, False]
    assert added[2].duplicate_of == added[1].id


def test_links_are_made_with_the_memory_and_only_to_what_exists(glymph):
    a = glymph.add("entry")
    b = glymph.add("close", links=[a.id, (a.id, "part_of")])
    assert {(e.source, e.target, e.type, e.weight) for e in glymph.edges(a.id)} == {
        (b.id, a.id, "user_linked", 0.90),
        (b.id, a.id, "part_of", 0.85),
    }
    assert (glymph.get(a.id).version, glymph.get(b.id).version) == (2, 1)
    before = logical_image(glymph._ctx.store, "default")
    with pytest.raises(errors.MemoryNotFound):
        glymph.add("orphan", links=["019b8d62-7a80-7000-a6f4-11134c89d058"])
    with pytest.raises(errors.InvalidInput, match="itself"):
        glymph.add("entry", links=[a.id])
    assert logical_image(glymph._ctx.store, "default") == before


def test_many_are_one_operation_and_checked_before_the_first_is_written(glymph):
    added = glymph.add_many(["one", {"text": "two", "kind": "fact"}, "ONE", "three"])
    assert [a.created for a in added] == [True, True, False, True]
    assert added[2].duplicate_of == added[0].id
    assert len({a.operation_id for a in added}) == 1
    with pytest.raises(errors.InvalidInput, match=r"items\[1\]\.text"):
        glymph.add_many(["four", ""])
    with pytest.raises(errors.InvalidInput, match=r"items\[0\]"):
        glymph.add_many([{"text": "x", "colour": "red"}])
    assert len(glymph.list()) == 3
    assert glymph.add_many([]) == []


def test_more_than_a_chunk_undoes_as_one(url, clock):
    with Glymph.open(url, clock=clock, settings={"bulk_chunk": 4}) as glymph:
        glymph.add("there before")
        before = logical_image(glymph._ctx.store, "default")
        added = glymph.add_many([f"memory {n % 9}" for n in range(11)])
        assert sum(a.created for a in added) == 9
        (parent, *_) = glymph.operations(limit=1)
        assert (parent.verb, parent.edits) == ("add", 9)
        child = added[0].operation_id
        with pytest.raises(errors.NotUndoable, match=parent.id):
            glymph.undo(child)
        receipt = glymph.undo()
        assert (len(receipt.succeeded), receipt.skipped) == (9, ())
        assert logical_image(glymph._ctx.store, "default") == before
        glymph.undo(receipt.operation_id)
        assert len(glymph.list()) == 10
        assert glymph.verify().ok


def test_long_texts_make_smaller_chunks(url, clock, monkeypatch):
    sizes = []
    store = add._store
    monkeypatch.setattr(
        add,
        "_store",
        lambda place, drafts, *a, **k: sizes.append(len(drafts)) or store(place, drafts, *a, **k),
    )
    with Glymph.open(url, clock=clock, settings={"bulk_chunk": 4}) as glymph:
        texts = [
            f"{n} ".ljust(length, "x")
            for n, length in enumerate((900, 900, 900, 5000, 10, 10, 10, 10, 10))
        ]
        added = glymph.add_many(texts)
        assert sizes == [2, 1, 1, 4, 1]
        assert [glymph.get(a.id).text for a in added] == texts
        glymph.undo()
        assert len(glymph.list()) == 0


def test_a_bulk_addition_cut_short_undoes_as_one(url, clock, monkeypatch):
    """As after a kill between two chunks: the parent is still open, some children are done."""
    with Glymph.open(url, clock=clock, settings={"bulk_chunk": 4}) as glymph:
        before = logical_image(glymph._ctx.store, "default")
        store = glymph._ctx.store
        monkeypatch.setattr(store, "close_parent", lambda *_: None)
        glymph.add_many([f"memory {n}" for n in range(10)])
        monkeypatch.undo()
        assert "cut short" in glymph.verify().problems[0].detail
        glymph.undo()
        assert logical_image(store, "default") == before
        assert glymph.verify().ok


def test_an_unknown_word_as_kind_is_welcome_but_not_as_a_filter(glymph):
    assert glymph.get(glymph.add("flour, water", kind="recipe").id).section == "KNOWLEDGE"
    assert len(glymph.list(kinds=["recipe"])) == 1
    with pytest.raises(errors.InvalidInput, match="Did you mean 'recipe'"):
        glymph.list(kinds=["recipes"])


def test_the_identity_is_reached_by_its_kind_or_id_and_counts_nowhere(glymph):
    (me,) = glymph.list(kinds=["self"])
    assert me.protected
    assert glymph.get(me.id) == me
    assert (len(glymph.list()), glymph.health().live, len(glymph.graph().nodes)) == (0, 0, 0)
    glymph.update(me.id, text="I am Ada's research agent.")
    assert glymph.search("research agent") == []
