"""Undo of operations in several transactions that were cut short between two of them."""

from __future__ import annotations

import pytest

from glymph import errors


def open_and_leave(glymph, verb="consolidate"):
    """As after a kill before the first part: the operation is open and has done nothing."""
    glymph._ctx.store.open_parent("default", glymph._ctx.intent(verb))
    return glymph.operations(limit=1)[0].id


def test_an_operation_cut_short_before_its_first_change_ends_by_undo(glymph):
    glymph.add("The ferry leaves at noon.")
    left = open_and_leave(glymph)
    assert "undo it" in glymph.verify().problems[0].detail
    assert glymph.operations(limit=1)[0].undoable
    done = glymph.undo(left)
    assert (done.succeeded, done.skipped, done.failed) == ((), (), ())
    assert glymph.verify().ok
    assert not next(one for one in glymph.operations() if one.id == left).undoable
    with pytest.raises(errors.NotUndoable, match="changed nothing"):
        glymph.undo(left)
    assert len(glymph.list()) == 1


def test_undo_without_an_id_passes_over_what_was_cut_short_with_empty_parts(glymph):
    added = glymph.add("The ferry leaves at noon.")
    for _ in range(2):
        store = glymph._ctx.store
        parent = store.open_parent("default", glymph._ctx.intent("consolidate"))
        with store.writing("default", glymph._ctx.intent("consolidate", parent=parent)):
            pass
    assert glymph.undo().succeeded == (added.id,)
    assert glymph.verify().ok
