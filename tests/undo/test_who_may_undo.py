"""Who may take back what: an agent its own, a person anything."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors

QUIET = {"compare": "off"}


@pytest.fixture
def opened(url, clock):
    handles = []

    def open_as(actor):
        options = {"embedder": "none", "reader": "none", "settings": QUIET}
        handles.append(Glymph.open(url, actor=actor, clock=clock, **options))
        return handles[-1]

    yield open_as
    for handle in handles:
        handle.close()


@pytest.mark.parametrize("agent", ["agent", "agent:planner", "agent-7"])
def test_an_agent_does_not_take_back_what_somebody_else_did(opened, agent):
    person, program = opened("user"), opened(agent)
    added = person.add("The release is signed by Ines only.")
    pinned = person.pin(added.id)
    with pytest.raises(errors.NotUndoable, match="Ask a person"):
        program.undo(pinned.operation_id)
    assert program.get(added.id).pinned


def test_an_agent_takes_back_its_own_and_a_person_anything(opened):
    person, program = opened("user"), opened("agent")
    added = program.add("The release is signed by Ines only.")
    pinned = program.pin(added.id)
    program.undo(pinned.operation_id)
    again = program.pin(added.id)
    person.undo(again.operation_id)
    assert not person.get(added.id).pinned


def test_what_was_done_in_the_background_may_be_taken_back_by_an_agent(opened):
    background, program = opened("daemon"), opened("agent")
    added = background.add("The release is signed by Ines only.")
    pinned = background.pin(added.id)
    program.undo(pinned.operation_id)
    assert not program.get(added.id).pinned


def test_undoing_an_add_leaves_what_was_pinned_since(opened):
    person, program = opened("user"), opened("agent")
    added = program.add("The release is signed by Ines only.")
    (operation,) = [one for one in program.operations() if one.verb == "add"]
    person.pin(added.id)
    done = program.undo(operation.id)
    assert (done.succeeded, [one.id for one in done.skipped]) == ((), [added.id])
    assert person.get(added.id).pinned
