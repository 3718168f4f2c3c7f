"""What an operation touched, by name."""

from __future__ import annotations

import pytest

from glymph.errors import OperationNotFound


def latest(glymph, verb):
    return next(one for one in glymph.operations() if one.verb == verb)


def test_a_list_of_operations_names_what_each_touched(glymph):
    a = glymph.add("The pump runs at night.").id
    b = glymph.add("The valve leaks.").id
    glymph.link(a, b, "related_to")
    linked = latest(glymph, "link")
    assert {one.title for one in linked.touched} == {"The pump runs at night.", "The valve leaks."}
    assert linked.links == 1
    added = latest(glymph, "add")
    assert [(one.id, one.title) for one in added.touched] == [(b, "The valve leaks.")]
    assert added.links == 0


def test_an_operation_is_shown_with_states_before_and_after(glymph):
    memory = glymph.add("The pump runs at night.").id
    glymph.archive([memory])
    glymph.restore([memory])
    shown = glymph.audit(latest(glymph, "archive").id)
    (touched,) = shown.memories
    assert (touched.id, touched.before, touched.after) == (memory, "LIVE", "ARCHIVED")
    assert "state" in touched.changed
    (made,) = glymph.audit(latest(glymph, "add").id).memories
    assert (made.before, made.after, made.changed) == (None, "LIVE", ())


def test_an_undone_addition_is_gone_afterwards(glymph):
    glymph.add("The pump runs at night.")
    glymph.undo()
    (touched,) = glymph.audit(latest(glymph, "undo").id).memories
    assert (touched.title, touched.before, touched.after) == (
        "The pump runs at night.",
        "LIVE",
        None,
    )


def test_changed_columns_are_named(glymph):
    memory = glymph.add("The pump runs at night.").id
    glymph.update(memory, text="The pump runs by day.", tags=["pump"])
    shown = glymph.audit(latest(glymph, "update").id)
    assert {"text", "tags"} <= set(shown.memories[0].changed)
    assert "version" not in shown.memories[0].changed


def test_a_bulk_operation_counts_its_chunks(url, clock):
    from glymph import Glymph

    with Glymph.open(url, clock=clock, settings={"bulk_chunk": 4}) as glymph:
        glymph.add_many(f"Crate {n} goes to Bergen." for n in range(10))
        shown = glymph.audit(latest(glymph, "add").id, limit=5)
        assert (shown.total, len(shown.memories)) == (10, 5)
        assert len(latest(glymph, "add").touched) == 3


def test_of_what_was_removed_for_good_nothing_is_told(glymph):
    glymph.add("My phone number is 555 0199 221.")
    added = latest(glymph, "add").id
    glymph.forget("555 0199 221", mode="purge", apply=True)
    assert glymph.audit(added).memories == ()
    assert "0199" not in repr(glymph.operations())


def test_a_receipt_says_titles(glymph):
    memory = glymph.add("The pump runs at night.").id
    assert glymph.archive([memory]).titles == {memory: "The pump runs at night."}


def test_an_unknown_operation_is_an_error(glymph):
    with pytest.raises(OperationNotFound):
        glymph.audit("019b8d62-7a80-7001-874f-5d7758adccdc")
