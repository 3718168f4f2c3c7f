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
    archived = program.archive(added.id)
    program.undo(archived.operation_id)
    again = program.archive(added.id)
    person.undo(again.operation_id)
    assert person.get(added.id).state == "LIVE"


def test_what_was_done_in_the_background_may_be_taken_back_by_an_agent(opened):
    background, program = opened("daemon"), opened("agent")
    added = background.add("The release is signed by Ines only.")
    archived = background.archive(added.id)
    program.undo(archived.operation_id)
    assert program.get(added.id).state == "LIVE"


UNATTENDED = ["agent:planner", "daemon"]


@pytest.mark.parametrize("actor", UNATTENDED)
def test_only_a_person_takes_a_pin_back(opened, actor):
    person, program = opened("user"), opened(actor)
    added = program.add("The release is signed by Ines only.")
    pinned = program.pin(added.id)
    done = program.undo(pinned.operation_id)
    assert (done.succeeded, [one.id for one in done.skipped]) == ((), [added.id])
    assert "only a person" in done.skipped[0].reason
    assert program.get(added.id).pinned
    again = person.pin(person.add("Ines signs on Fridays.").id)
    person.undo(again.operation_id)
    assert not person.get(again.succeeded[0]).pinned


@pytest.mark.parametrize("actor", UNATTENDED)
def test_only_a_person_takes_back_what_was_added_with_a_pin(opened, actor):
    person, program = opened("user"), opened(actor)
    pinned = program.add("The release is signed by Ines only.", pinned=True)
    done = program.undo(pinned.operation_id)
    assert [one.id for one in done.skipped] == [pinned.id]
    assert person.get(pinned.id).pinned
    own = person.add("Ines signs on Fridays.", pinned=True)
    assert person.undo(own.operation_id).succeeded == (own.id,)


def test_of_several_added_together_the_pinned_ones_stay(opened):
    person, program = opened("user"), opened("agent")
    first, second = program.add_many(["Ines signs.", {"text": "Ben pays.", "pinned": True}])
    done = program.undo(first.operation_id)
    assert done.succeeded == (first.id,)
    assert [memory.id for memory in person.list()] == [second.id]


def test_undoing_an_add_leaves_what_was_pinned_since(opened):
    person, program = opened("user"), opened("agent")
    added = program.add("The release is signed by Ines only.")
    (operation,) = [one for one in program.operations() if one.verb == "add"]
    person.pin(added.id)
    done = program.undo(operation.id)
    assert (done.succeeded, [one.id for one in done.skipped]) == ((), [added.id])
    assert person.get(added.id).pinned
