"""What `add` notices when it compares: repetition, news, contradiction; how a conflict is settled."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph, errors
from glymph.testing.embedders import WordEmbedder
from glymph.text.bands import Bands
from glymph.write.tombstones import bury


@pytest.fixture
def comparing(url, clock):
    with Glymph.open(url, clock=clock, settings={"compare": "on", "junk_gate": "on"}) as handle:
        yield handle


def said(g, clock, text, kind="fact", **fields):
    clock.advance(days=1)
    return g.add(text, kind=kind, **fields)


def texts(hits):
    return [hit.memory.text for hit in hits]


def test_a_newer_statement_stands_above_the_older_one_and_hides_it_not(comparing, clock):
    berlin = said(comparing, clock, "I live in Berlin")
    lisbon = said(comparing, clock, "I moved to Lisbon")
    assert lisbon.superseded == (berlin.id,)
    assert comparing.get(berlin.id).superseded_by is None
    hits = comparing.search("Berlin")
    assert texts(hits) == ["I moved to Lisbon", "I live in Berlin"]
    assert [hit.updated_by for hit in hits] == [(), (lisbon.id,)]
    assert "updates 'I live in Berlin'" in hits[0].why
    assert "a newer memory updates it" in hits[1].why
    assert [edge.type for edge in comparing.edges(berlin.id)] == ["supersedes"]
    comparing.undo(lisbon.operation_id)
    assert [(hit.memory.id, hit.updated_by) for hit in comparing.search("Berlin")] == [
        (berlin.id, ())
    ]
    assert comparing.verify().ok


NOTES = (
    "the printer is on floor 3",
    "Anna likes tea",
    "the server room needs a new key",
    "invoices go out on Friday",
    "Tom's desk is 4B",
    "the visitors' wifi is slow",
)


@pytest.mark.parametrize("label", ["Note", "Reminder", "Todo"])
def test_unrelated_notes_with_one_label_are_as_many_as_they_are(comparing, clock, label):
    added = [said(comparing, clock, f"{label}: {note}") for note in NOTES]
    assert all(one.created and not one.superseded and not one.conflicts for one in added)
    assert len(comparing.list().items) == len(NOTES)
    for note, one in zip(NOTES, added, strict=True):
        hit = comparing.search(note)[0]
        assert (hit.memory.id, hit.updated_by) == (one.id, ())


def test_what_a_label_is_wrongly_taken_for_is_flagged_and_found(comparing, clock):
    added = [said(comparing, clock, f"Observation: {note}") for note in NOTES]
    assert all(one.created for one in added)
    listed = {memory.id for memory in comparing.list().items}
    assert listed == {one.id for one in added}
    assert all(memory.superseded_by is None for memory in comparing.list().items)


def test_what_is_nearly_the_same_is_stored_and_linked(url, clock):
    with Glymph.open(url, clock=clock, embedder=Coarse()) as handle:
        first = handle.add("the grey cat sleeps on the mat", kind="fact")
        near = handle.add("a grey cat slept on the mat", kind="fact")
        assert (near.created, near.duplicate_of, near.superseded) == (True, None, ())
        assert near.connected_to == (first.id,)
        assert "the same, " in near.why[0]
        assert [edge.type for edge in handle.edges(near.id)] == ["similar_to"]
        same = handle.add("The grey cat  sleeps on the mat", kind="fact")
        assert same.duplicate_of == first.id
        assert {hit.memory.id for hit in handle.search("cat")} == {first.id, near.id}


def test_words_that_return_are_new_once_and_then_repeated(comparing, clock):
    berlin, lisbon = (
        said(comparing, clock, "I live in Berlin"),
        said(comparing, clock, "I moved to Lisbon"),
    )
    back = said(comparing, clock, "I live in Berlin")
    assert (back.created, back.superseded) == (True, (lisbon.id,))
    assert said(comparing, clock, "I live in Berlin").duplicate_of == back.id
    away = said(comparing, clock, "I moved to Lisbon")
    assert away.created
    assert said(comparing, clock, "I moved to Lisbon").duplicate_of == away.id
    assert len(comparing.list().items) == 4
    assert comparing.search("Berlin Lisbon")[0].memory.id == away.id
    assert comparing.get(berlin.id).superseded_by is None


@pytest.mark.parametrize(
    "later",
    [
        "My friend moved to Lisbon",
        "I might move to Lisbon",
        "I lived in Lisbon in 2019",
        "Should I move to Lisbon?",
        'Anna said: "I moved to Lisbon"',
    ],
)
def test_what_is_no_update_leaves_the_older_statement_alone(comparing, clock, later):
    berlin = said(comparing, clock, "I live in Berlin")
    added = said(comparing, clock, later)
    assert (added.superseded, added.conflicts) == ((), ())
    assert comparing.get(berlin.id).superseded_by is None


def test_trades_that_differ_in_digits_stay_as_many_as_they_are(comparing, clock):
    added = [
        said(comparing, clock, f"Closed BTC long at {n} with +2 %", kind="trade_close")
        for n in range(101, 106)
    ]
    assert all(one.created and not one.superseded for one in added)
    assert comparing.health().live + comparing.health().dormant == 5


def test_a_pinned_statement_is_put_in_question_instead_of_updated(comparing, clock):
    port = said(comparing, clock, "The API port is 8080", pinned=True)
    newer = said(comparing, clock, "The API port is now 9090")
    assert newer.superseded == ()
    (conflict,) = comparing.conflicts()
    assert newer.conflicts == (conflict.id,)
    assert (conflict.older, conflict.newer) == (port.id, newer.id)
    assert "pinned" in conflict.reason


@pytest.fixture
def conflict(comparing, clock):
    port = said(comparing, clock, "The API port is 8080", pinned=True)
    said(comparing, clock, "The API port is now 9090")
    comparing.unpin(port.id)
    return comparing.conflicts()[0]


@pytest.mark.parametrize(
    ("resolution", "left"),
    [
        ("new_is_current", ["The API port is now 9090"]),
        ("old_is_current", ["The API port is 8080"]),
        ("keep_both", ["The API port is 8080", "The API port is now 9090"]),
    ],
)
def test_a_conflict_is_settled_and_an_undo_opens_it_again(comparing, conflict, resolution, left):
    done = comparing.resolve(conflict.id, resolution)
    assert sorted(texts(comparing.search("API port"))) == left
    assert comparing.conflicts() == []
    with pytest.raises(errors.Refused, match="resolved already"):
        comparing.resolve(conflict.id, resolution)
    comparing.undo(done.operation_id)
    assert comparing.conflicts() == [conflict]
    assert comparing.verify().ok


def test_a_merge_says_what_both_should(comparing, conflict):
    with pytest.raises(errors.InvalidInput, match="merge"):
        comparing.resolve(conflict.id, "merge")
    comparing.resolve(conflict.id, "merge", text="The API port is 8080 at home and 9090 at work")
    assert texts(comparing.search("API port")) == ["The API port is 8080 at home and 9090 at work"]
    assert (
        comparing.get(conflict.older).superseded_by == comparing.get(conflict.newer).superseded_by
    )
    comparing.undo()
    assert comparing.conflicts() == [conflict]


def test_a_conflict_nobody_decides_expires_and_both_stay(comparing, clock, conflict):
    clock.now = conflict.expires_at + timedelta(seconds=1)
    assert comparing.conflicts() == []
    assert len(comparing.search("API port")) == 2


def test_a_conflict_of_which_one_side_is_gone_is_moot(comparing, conflict):
    comparing.delete(conflict.older)
    assert comparing.conflicts() == []
    with pytest.raises(errors.Refused, match="nothing left to decide"):
        comparing.resolve(conflict.id, "keep_both")


def test_what_is_replaced_is_found_among_many_that_share_a_word(comparing, clock):
    berlin = said(comparing, clock, "I live in Berlin")
    filler = [
        {"text": f"Note {n}: the people there moved a table and a chair", "kind": "fact"}
        for n in range(1500)
    ]
    comparing.add_many(filler)
    assert said(comparing, clock, "I moved to Lisbon").superseded == (berlin.id,)


def test_a_large_load_is_left_to_the_sweep(comparing, clock):
    said(comparing, clock, "I live in Berlin")
    items = [{"text": f"Note number {n} about something", "kind": "fact"} for n in range(100)]
    clock.advance(days=1)
    added = comparing.add_many([*items, {"text": "I moved to Lisbon", "kind": "fact"}])
    assert all(one.superseded == () for one in added)


@pytest.mark.parametrize("text", ["ok thanks", "!!!", "hahahaha haha", "👍", "sdfkjhsdkjfhxcvmnb"])
def test_noise_is_refused_and_says_why(comparing, text):
    added = comparing.add(text)
    assert (added.id, added.created) == (None, False)
    assert added.refused
    assert comparing.operations(verb="add") == []


def test_what_was_removed_on_request_is_refused_until_it_is_revived(glymph):
    with glymph._ctx.operation("purge") as op:
        bury(op, glymph._ctx, ["Call Anna at +1 (555) 010-99"])
    refused = glymph.add("call  ANNA at +155501099")
    assert refused.id is None
    assert "revive" in refused.refused
    assert [
        one.refused is None for one in glymph.add_many(["Call Anna at +1 555 01099.", "Call Bob"])
    ] == [
        False,
        True,
    ]
    revived = glymph.add("Call Anna at +1 (555) 010-99", revive=True)
    assert revived.created
    assert glymph.tombstones() == ()
    glymph.undo(revived.operation_id)
    assert glymph.add("Call Anna at +1 (555) 010-99").refused


class Coarse(WordEmbedder):
    """A model by which texts are the same from a much lower cosine on."""

    bands = Bands(duplicate=0.6, connect=0.3)


def test_bands_belong_to_the_model_and_are_kept_with_it(url, clock):
    texts = ("the grey cat sleeps on the mat", "a grey cat slept on the mat")
    outcomes = []
    for space, embedder in (("fine", WordEmbedder()), ("coarse", Coarse())):
        with Glymph.open(url, space=space, clock=clock, embedder=embedder) as handle:
            added = [handle.add(text, kind="fact") for text in texts]
            outcomes.append([any("the same, " in why for why in one.why) for one in added])
            with handle._ctx.reading() as reader:
                (model,) = reader.models()
                kept = reader.bands(model["key"])
            assert kept == (Bands() if space == "fine" else Coarse.bands)
    assert outcomes == [[False, False], [False, True]]


def test_of_two_statements_at_one_moment_the_second_holds(comparing):
    berlin = comparing.add("I live in Berlin", kind="fact")
    assert comparing.add("I moved to Lisbon", kind="fact").superseded == (berlin.id,)


def test_what_is_dated_earlier_does_not_replace_what_is_dated_later(comparing, clock):
    lisbon = comparing.add("I live in Lisbon", kind="fact", event_at=clock() - timedelta(days=10))
    told_late = comparing.add(
        "I moved to Berlin", kind="fact", event_at=clock() - timedelta(days=900)
    )
    assert told_late.superseded == ()
    assert comparing.get(lisbon.id).superseded_by is None
    assert len(told_late.conflicts) == 1
