"""Replacing a belief by hand, and the newer statement above the older one wherever both are found."""

from __future__ import annotations

import pytest

from glymph import errors
from glymph.forget import supersede
from glymph.forget.supersede import Belief
from tests.grounds.reading import flag, put_in_question


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
    four = glymph.supersede(one, "The port is 4").succeeded[1]  # what stands in its place
    assert glymph.get(three).superseded_by == four


def test_a_new_statement_is_kept_whatever_it_cannot_replace(glymph):
    pinned = glymph.add("The port is 1", kind="fact", pinned=True).id
    beside = glymph.supersede(pinned, "The port is 2")
    assert [(one.id, one.reason) for one in beside.skipped] == [
        (pinned, "it is pinned: unpin it first")
    ]
    (second,) = beside.succeeded
    assert glymph.get(second).text == "The port is 2"
    nothing = glymph.supersede("zeppelins over Utrecht", "There are no zeppelins")
    assert [one.reason for one in nothing.skipped] == [
        "nothing here says that; the new statement is kept"
    ]
    assert glymph.get(nothing.succeeded[0]).text == "There are no zeppelins"
    again = glymph.supersede(second, "The port is 2")
    assert (again.succeeded, again.skipped[0].reason) == ((second,), "it says this already")
    glymph.undo(nothing.operation_id)
    assert texts(glymph.search("zeppelins")) == []


@pytest.mark.parametrize(
    ("said", "which"),
    [(["The port is 1"], "this one: "), (["The port is 1", "A ship is in port"], "this one or ")],
)
def test_a_doubt_speaks_of_another_only_where_there_is_one(glymph, monkeypatch, said, which):
    doubts = [Belief(glymph.add(text, kind="fact").id, 1, "", "perhaps") for text in said]
    monkeypatch.setattr(supersede, "find_beliefs", lambda *_, **__: ((), doubts))
    skipped = glymph.supersede("the port", "The port is 9").skipped
    assert [one.id for one in skipped] == [one.id for one in doubts]
    assert all(one.reason.startswith(f"'the port' may mean {which}") for one in skipped)


def test_what_cannot_be_a_replacement_says_why_and_changes_nothing(glymph):
    with pytest.raises(errors.InvalidInput, match="old"):
        glymph.supersede("", "The port is 2")
    with pytest.raises(errors.InvalidInput, match=r"^old: is None.*its `refused` says why"):
        glymph.supersede(None, "The port is 2")
    identity = next(space for space in glymph.spaces() if space.name == glymph.space).identity_id
    with pytest.raises((errors.Protected, errors.InvalidInput)):
        glymph.supersede(identity, "I am another")
    assert texts(glymph.search("port")) == []


def test_an_older_statement_is_shown_again_and_the_newer_stays(glymph):
    old = glymph.add("The port is 1", kind="fact").id
    new = glymph.supersede(old, "The port is 2").succeeded[1]
    shown = glymph.unsupersede(old)
    assert shown.succeeded == (old,)
    assert sorted(texts(glymph.search("port"))) == ["The port is 1", "The port is 2"]
    assert all(hit.maybe_outdated_by == () for hit in glymph.search("port"))
    glymph.undo(shown.operation_id)
    assert glymph.get(old).superseded_by == new
    assert glymph.unsupersede(new).skipped[0].reason == "nothing has replaced it"


def test_a_link_supersedes_hides_and_unlinking_shows(glymph):
    old = glymph.add("The port is 1", kind="fact").id
    new = glymph.add("Port two it is", kind="fact").id
    linked = glymph.link(new, old, "supersedes")
    assert glymph.get(old).superseded_by == new
    assert texts(glymph.search("port")) == ["Port two it is"]
    glymph.undo(linked.operation_id)
    assert glymph.get(old).superseded_by is None
    glymph.link(new, old, "supersedes")
    with pytest.raises(errors.InvalidInput, match="replaced a itself"):
        glymph.link(old, new, "supersedes")
    glymph.unlink(new, old, "supersedes")
    assert glymph.get(old).superseded_by is None
    glymph.pin(old)
    with pytest.raises(errors.Pinned):
        glymph.link(new, old, "supersedes")


def test_a_text_that_is_there_already_takes_the_place_instead_of_a_copy(glymph):
    old = glymph.add("The port is 1", kind="fact").id
    known = glymph.add("Nothing listens at all", kind="fact").id
    assert glymph.supersede(old, "Nothing listens at all").succeeded == (old, known)


def test_a_newer_statement_stands_directly_above_the_one_it_updates_in_part(glymph):
    words = "The launch is planned for May in Oslo with the whole team, budget and venue"
    older = glymph.add(words, kind="fact").id
    newer = glymph.add("It will be June", kind="fact").id
    flag(glymph, newer, older)
    hits = glymph.search("launch in Oslo")
    assert [hit.memory.id for hit in hits] == [newer, older]
    assert hits[0].score >= hits[1].score
    assert (hits[0].maybe_outdated_by, hits[1].maybe_outdated_by) == ((), (newer,))
    assert "it may be out of date" in hits[1].why
    assert "updates 'The launch is planned" in hits[0].why
    newest = glymph.add("Rather July", kind="fact").id
    flag(glymph, newest, newer)
    assert [hit.memory.id for hit in glymph.search("launch in Oslo")] == [newest, newer, older]
    assert [hit.memory.id for hit in glymph.search("launch in Oslo", limit=2)] == [newest, newer]
    assert [hit.memory.id for hit in glymph.search("launch in Oslo", limit=1)] == [newest]
    glymph.archive(newest)
    assert [hit.memory.id for hit in glymph.search("launch in Oslo")] == [newer, older]


def test_two_that_claim_to_update_each_other_are_both_found_once(glymph):
    one = glymph.add("The launch is in May", kind="fact").id
    two = glymph.add("Rather in June", kind="fact").id
    flag(glymph, two, one)
    flag(glymph, one, two)
    assert sorted(hit.memory.id for hit in glymph.search("launch")) == sorted([one, two])


def test_an_addition_says_what_it_did_and_why(glymph, clock):
    first = glymph.add("The API port is 8080", kind="fact")
    assert first.why == ()
    clock.advance(days=1)
    again = glymph.add("The API port is 8080", kind="fact")
    assert again.why == ("it is known in these words",)


def test_several_conflicts_are_settled_at_once_and_those_that_cannot_be_are_named(glymph, clock):
    for thing in ("API", "web"):
        older = glymph.add(f"The {thing} port is 8080", kind="fact").id
        clock.advance(days=1)
        newer = glymph.add(f"The {thing} port is now 9090", kind="fact").id
        put_in_question(glymph, older, newer)
    waiting = [conflict.id for conflict in glymph.conflicts()]
    assert len(waiting) == 2
    done = glymph.resolve([*waiting, "nobody"], "keep_both")
    assert done.succeeded == tuple(waiting)
    assert [refusal.id for refusal in done.failed] == ["nobody"]
    assert glymph.conflicts() == []
    glymph.undo(done.operation_id)
    assert [conflict.id for conflict in glymph.conflicts()] == waiting
    with pytest.raises(errors.InvalidInput, match="one question at a time"):
        glymph.resolve(waiting, "merge", text="both")


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
