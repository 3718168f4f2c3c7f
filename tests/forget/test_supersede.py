"""Replacing a belief by hand, and the newer statement above the older one wherever both are found."""

from __future__ import annotations

import pytest

from glymph import errors


def texts(hits):
    return [hit.memory.text for hit in hits]


def test_a_belief_is_replaced_by_its_id_and_comes_back_by_undo(glymph):
    old = glymph.add(
        "The office is in Bonn", kind="fact", tags=["work"], entities=["Bonn office"]
    ).id
    done = glymph.supersede(old, "The office is in Mainz")
    assert done.succeeded[0] == old
    new = glymph.get(done.succeeded[1])
    assert (new.text, new.kind, new.tags, new.entities) == (
        "The office is in Mainz", "fact", ("work",), ("Bonn office",)
    )  # fmt: skip
    assert glymph.get(old).superseded_by == new.id
    assert texts(glymph.search("office")) == ["The office is in Mainz"]
    glymph.undo(done.operation_id)
    assert texts(glymph.search("office")) == ["The office is in Bonn"]
    assert glymph.verify().ok


def test_a_belief_is_replaced_by_its_description(glymph):
    glymph.add_many(["The office is in Bonn", "The cat is called Momo", "Lunch is at noon"])
    done = glymph.supersede("where the office is", "We all work from home")
    assert glymph.get(done.succeeded[0]).text == "The office is in Bonn"
    assert texts(glymph.search("Bonn")) == []


def test_a_chain_grows_and_only_its_end_is_current(glymph):
    one = glymph.add("The port is 1", kind="fact").id
    two = glymph.supersede(one, "The port is 2").succeeded[1]
    three = glymph.supersede(two, "The port is 3").succeeded[1]
    assert (glymph.get(one).superseded_by, glymph.get(two).superseded_by) == (two, three)
    assert texts(glymph.search("port")) == ["The port is 3"]
    assert texts(glymph.search("port", include_superseded=True)) == [
        "The port is 3", "The port is 2", "The port is 1"
    ]  # fmt: skip
    with pytest.raises(errors.Refused, match="no longer current"):
        glymph.supersede(one, "The port is 4")


def test_what_cannot_be_replaced_says_why_and_changes_nothing(glymph):
    pinned = glymph.add("The port is 1", kind="fact", pinned=True).id
    with pytest.raises(errors.Pinned):
        glymph.supersede(pinned, "The port is 2")
    with pytest.raises(errors.MemoryNotFound):
        glymph.supersede("zeppelins over Utrecht", "There are none")
    glymph.unpin(pinned)
    with pytest.raises(errors.InvalidInput, match="already"):
        glymph.supersede(pinned, "The port is 1")
    with pytest.raises(errors.InvalidInput, match="old"):
        glymph.supersede("", "The port is 2")
    identity = next(space for space in glymph.spaces() if space.name == glymph.space).identity_id
    with pytest.raises((errors.Protected, errors.InvalidInput)):
        glymph.supersede(identity, "I am another")
    assert texts(glymph.search("port")) == ["The port is 1"]


def test_a_text_that_is_there_already_takes_the_place_instead_of_a_copy(glymph):
    old = glymph.add("The port is 1", kind="fact").id
    known = glymph.add("Nothing listens at all", kind="fact").id
    assert glymph.supersede(old, "Nothing listens at all").succeeded == (old, known)


def test_a_newer_statement_stands_directly_above_the_one_it_updates_in_part(glymph):
    words = "The launch is planned for May in Oslo with the whole team, budget and venue"
    older = glymph.add(words, kind="fact").id
    newer = glymph.add("It will be June", kind="fact", links=[(older, "supersedes")]).id
    hits = glymph.search("launch in Oslo")
    assert [hit.memory.id for hit in hits] == [newer, older]
    assert hits[0].score >= hits[1].score
    assert (hits[0].updated_by, hits[1].updated_by) == ((), (newer,))
    assert "a newer memory updates it" in hits[1].why
    assert "updates 'The launch is planned" in hits[0].why
    newest = glymph.add("Rather July", kind="fact", links=[(newer, "supersedes")]).id
    assert [hit.memory.id for hit in glymph.search("launch in Oslo")] == [newest, newer, older]
    assert [hit.memory.id for hit in glymph.search("launch in Oslo", limit=2)] == [newest, newer]
    glymph.archive(newest)
    assert [hit.memory.id for hit in glymph.search("launch in Oslo")] == [newer, older]


def test_two_that_claim_to_update_each_other_are_both_found_once(glymph):
    one = glymph.add("The launch is in May", kind="fact").id
    two = glymph.add("Rather in June", kind="fact", links=[(one, "supersedes")]).id
    glymph.link(one, two, "supersedes")
    assert sorted(hit.memory.id for hit in glymph.search("launch")) == sorted([one, two])


def test_an_addition_says_what_it_did_and_why(glymph, clock):
    first = glymph.add("The API port is 8080", kind="fact")
    assert first.why == ()
    clock.advance(days=1)
    again = glymph.add("The API port is 8080", kind="fact")
    assert again.why == ("it is known in these words",)
    clock.advance(days=1)
    newer = glymph.add("The API port is now 9090", kind="fact")
    assert newer.superseded == (first.id,)
    assert newer.why[0].startswith("it updates 'The API port is 8080': ")


def test_several_conflicts_are_settled_at_once_and_those_that_cannot_be_are_named(glymph, clock):
    for thing in ("API", "web"):
        glymph.add(f"The {thing} port is 8080", kind="fact", pinned=True)
        clock.advance(days=1)
        glymph.add(f"The {thing} port is now 9090", kind="fact")
    waiting = [conflict.id for conflict in glymph.conflicts()]
    assert len(waiting) == 2
    done = glymph.resolve([*waiting, "nobody"], "keep_both")
    assert done.succeeded == tuple(waiting)
    assert [refusal.id for refusal in done.failed] == ["nobody"]
    assert glymph.conflicts() == []
    glymph.undo(done.operation_id)
    assert [conflict.id for conflict in glymph.conflicts()] == waiting
    with pytest.raises(errors.InvalidInput, match="one conflict at a time"):
        glymph.resolve(waiting, "merge", text="both")


def test_a_value_that_returns_is_current_again(glymph, clock):
    for text in ("I live in Berlin", "I moved to Lisbon", "I live in Berlin"):
        clock.advance(days=30)
        last = glymph.add(text, kind="fact")
    assert last.created
    hits = glymph.search("Berlin Lisbon")
    assert [hit.memory.text for hit in hits] == [
        "I live in Berlin",
        "I moved to Lisbon",
        "I live in Berlin",
    ]
    assert hits[0].memory.id == last.id
    assert [bool(hit.updated_by) for hit in hits] == [False, True, True]
    assert glymph.verify().ok


def test_what_is_said_of_one_thing_replaces_nothing_said_of_another(glymph, clock):
    for name in ("AVAX", "ETH", "LINK"):
        clock.advance(days=1)
        added = glymph.add(
            f"{name} has topped for now. Under {len(name) * 7} the next stop is 12.", kind="thesis"
        )
        assert added.superseded == ()
    for number in (102_556, 98_258):
        clock.advance(days=1)
        missed = f"Missed BTC: it left {number} without me and ran 6.3 %."
        assert glymph.add(missed, kind="missed_opportunity").superseded == ()
