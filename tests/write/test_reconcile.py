"""What a new memory does to older ones, once it is stored: hidden, flagged, asked about, or nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph
from glymph.reader.contract import Judgement
from tests.grounds.reading import ScriptedReader

BERLIN, LISBON, CELLO = "I live in Berlin", "I moved to Lisbon", "I play the cello in Berlin"


@pytest.fixture
def open_with(url, clock):
    handles = []

    def open_it(reader=None, **judged):
        judge = reader or ScriptedReader(**judged)
        handle = Glymph.open(url, clock=clock, reader=judge, settings={"compare": "on"})
        handles.append(handle)
        return handle

    yield open_it
    for handle in handles:
        handle.close()


def say(handle, clock, *texts, **fields):
    added = []
    for text in texts:
        clock.advance(days=1)
        added.append(handle.add(text, kind="fact", wait=True, **fields))
    return added


def test_what_is_certainly_out_of_date_steps_back_and_returns_with_undo(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    berlin, cello, lisbon = say(g, clock, BERLIN, CELLO, LISBON)
    assert lisbon.superseded == (berlin.id,)
    assert g.get(berlin.id).superseded_by == lisbon.id
    assert g.get(cello.id).superseded_by is None
    (reconciled,) = g.operations(verb="reconcile")
    g.undo(reconciled.id)
    assert g.get(berlin.id).superseded_by is None
    assert g.edges(berlin.id) == []
    assert g.settle() == {}, "what was taken back is not done again"
    assert g.verify().ok


def test_undoing_an_add_takes_back_what_it_did_to_others(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    berlin, _ = say(g, clock, BERLIN, LISBON)
    receipt = g.undo()
    assert receipt.skipped == ()
    assert [memory.id for memory in g.list().items] == [berlin.id]
    assert g.get(berlin.id).superseded_by is None
    assert g.verify().ok


def test_what_is_likely_out_of_date_stays_below_the_newer(open_with, clock):
    g = open_with(part=[(LISBON, BERLIN)])
    berlin, lisbon = say(g, clock, BERLIN, LISBON)
    assert g.get(berlin.id).superseded_by is None
    assert [edge.type for edge in g.edges(berlin.id)] == ["supersedes"]
    assert [hit.memory.id for hit in g.search("Berlin")] == [lisbon.id, berlin.id]
    assert g.conflicts() == []


def test_what_is_hardly_out_of_date_is_passed_only_by_what_was_found_itself(open_with, clock):
    rain = "It rained in Porto"
    g = open_with(hardly=[(LISBON, BERLIN), (CELLO, BERLIN), (rain, LISBON)])
    berlin, cello, lisbon, rained = say(g, clock, BERLIN, CELLO, LISBON, rain)
    (weak,) = [edge for edge in g.edges(berlin.id) if edge.source == lisbon.id]
    assert weak.weight == pytest.approx(0.3)
    found = [hit.memory.id for hit in g.search("live Berlin")]
    assert found[:2] == [cello.id, berlin.id], "the newer stands directly above the older"
    assert {lisbon.id, rained.id}.isdisjoint(found[:2]), "no word of the query speaks for them"


def test_a_document_is_not_judged_as_a_statement(open_with, clock):
    report = f"{BERLIN}. " + "The trams ran late again that morning. " * 20
    g = open_with(replaces=[(report, BERLIN), (LISBON, report)], same=[(report, BERLIN)])
    older = say(g, clock, BERLIN, report, LISBON)
    assert [g.get(one.id).superseded_by for one in older] == [None] * 3
    assert g.questions() == []


def test_what_may_be_out_of_date_is_a_question(open_with, clock):
    g = open_with(perhaps=[(LISBON, BERLIN)])
    berlin, lisbon = say(g, clock, BERLIN, LISBON)
    (question,) = g.conflicts()
    assert (question.older, question.newer) == (berlin.id, lisbon.id)
    assert lisbon.conflicts == (question.id,)
    assert g.get(berlin.id).superseded_by is None


def test_of_twenty_memories_in_a_row_one_puts_a_question(open_with, clock):
    homes = [f"I live in {town}" for town in ("Bonn", "Cork", "Dijon", "Essen", "Faro")]
    others = [f"Bird number {number} sings" for number in range(20)]
    g = open_with(perhaps=[*zip(homes[1:], homes, strict=False)])
    added = say(g, clock, *homes[:4], *others, homes[4])
    asked = [one.id for one in added if one.questions]
    assert asked == [added[1].id, added[-1].id]
    assert len(g.edges(added[2].id)) == 2, "the others are flagged all the same"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Lea speaks Polish", "Lea speaks Czech"),
        ("Mia has a brother named Leo", "Mia has a brother named Finn"),
        ("Nora has a house in Oslo", "Nora has a cabin in Bergen"),
        ("我会说法语", "我会说俄语"),
    ],
)
def test_where_a_value_alone_parts_two_texts_it_may_be_one_more_and_both_stay(
    open_with, clock, older, newer
):
    g = open_with(replaces=[(newer, older)])
    first, second = say(g, clock, older, newer)
    assert g.get(first.id).superseded_by is None
    assert second.superseded == (first.id,), "it is flagged, and stands below the newer"
    hits = {hit.memory.id: hit for hit in g.search(older)}
    assert hits[first.id].maybe_outdated_by == (second.id,)


@pytest.mark.parametrize(
    ("third", "fourth"),
    [
        ("Wren number 3", "wren number 4"),
        ("Mr Tan measured: 9.8 fasting.", "Mr Tan measured: 11 fasting. Doctor told."),
    ],
)
def test_what_differs_only_in_figures_may_be_the_next_of_a_series_and_stays(
    open_with, clock, third, fourth
):
    g = open_with(replaces=[(fourth, third)])
    older, newer = say(g, clock, third, fourth)
    assert g.get(older.id).superseded_by is None
    assert [edge.source for edge in g.edges(older.id)] == [newer.id]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Born in 1990. Mira lives in Ghent.", "Born in 1990. Mira has moved to Antwerp."),
        ("1. The API is written in Go.", "2. We moved the whole API to Rust."),
    ],
)
def test_a_figure_that_stays_the_same_makes_no_series(open_with, clock, older, newer):
    g = open_with(replaces=[(newer, older)])
    first, _ = say(g, clock, older, newer)
    assert g.get(first.id).superseded_by is not None


def test_a_pinned_statement_is_never_hidden(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    (berlin,) = say(g, clock, BERLIN, pinned=True)
    say(g, clock, LISBON)
    assert g.get(berlin.id).superseded_by is None
    assert len(g.conflicts()) == 1


def test_what_is_said_to_be_about_others_stays_below_the_newer(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    (ana,) = say(g, clock, BERLIN, entities=["Ana"])
    (bo,) = say(g, clock, LISBON, entities=["Bo"])
    assert g.get(ana.id).superseded_by is None
    assert (bo.superseded, bo.why[0].endswith("of others (0.98)")) == ((ana.id,), True), bo.why


def test_one_shared_name_is_enough_to_put_a_statement_out_of_date(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    (old,) = say(g, clock, BERLIN, entities=["Ana", "Bo"])
    (new,) = say(g, clock, LISBON, entities=["Bo"])
    assert g.get(old.id).superseded_by == new.id


def test_what_is_vital_is_asked_about_before_it_is_hidden(open_with, clock):
    class Careful(ScriptedReader):
        def grade(self, texts):
            return [Judgement("vital", 1.0, (0.0, 0.0, 0.2, 0.8)) for _ in texts]

    nuts, fine = "No nuts for Mia, ever", "Mia loves peanut butter"
    g = open_with(reader=Careful(replaces=[(fine, nuts)]))
    older, _ = say(g, clock, nuts, fine)
    assert g.get(older.id).superseded_by is None
    (question,) = g.questions()
    assert (question.kind, question.may_answer) == ("vital", ("agent", "person"))


def test_what_says_the_same_becomes_one_that_was_used_more(open_with, clock):
    again = "Berlin is where I live"
    g = open_with(same=[(again, BERLIN)])
    berlin, newer = say(g, clock, BERLIN, again)
    assert g.get(berlin.id).superseded_by == newer.id
    assert g.get(newer.id).access_count == 1
    assert [hit.memory.id for hit in g.search("Berlin")] == [newer.id]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The rent is 900 euros", "Our rent is 950 euros"),
        ("The trial starts on 3 May 2026", "The trial begins on 4 May 2026"),
        ("Call Ana at +43 660 1234567", "Ana's phone is +43 660 1234568"),
        ("Tom eats fish", "Tom does not eat fish"),
    ],
)
def test_values_that_differ_are_never_the_same(open_with, clock, older, newer):
    g = open_with(same=[(newer, older)])
    first, _ = say(g, clock, older, newer)
    assert g.get(first.id).superseded_by is None


def test_statements_of_one_call_are_reconciled_with_each_other(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    berlin, lisbon = g.add_many(
        [{"text": BERLIN, "kind": "fact"}, {"text": LISBON, "kind": "fact"}], wait=True
    )
    assert lisbon.superseded == (berlin.id,)


def test_what_a_handle_left_is_reconciled_once_by_the_next(url, clock):
    with Glymph.open(url, clock=clock, reader="none", settings={"compare": "on"}) as g:
        berlin = g.add(BERLIN, kind="fact").id
        clock.advance(days=1)
        lisbon = g.add(LISBON, kind="fact").id
    reader = ScriptedReader(replaces=[(LISBON, BERLIN)])
    with (
        Glymph.open(url, clock=clock, reader=reader, settings={"compare": "on"}) as one,
        Glymph.open(url, clock=clock, reader=reader, settings={"compare": "on"}) as other,
    ):
        done = one.settle()
        assert done[lisbon].superseded == [berlin]
        assert other.settle() == {}
        assert len(other.operations(verb="reconcile")) == 1


def test_what_was_added_without_comparing_is_taken_as_it_is(open_with, url, clock):
    with Glymph.open(url, clock=clock, settings={"compare": "off"}) as off:
        off.add_many([{"text": BERLIN, "kind": "fact"}, {"text": LISBON, "kind": "fact"}])
    g = open_with(replaces=[(LISBON, BERLIN)])
    assert g.settle() == {}
    (cello,) = say(g, clock, CELLO)
    assert cello.created
    assert g.operations(verb="reconcile").items == ()


def test_what_is_said_again_answers_the_question_whether_it_still_holds(open_with, clock):
    again = "Berlin it is, that is where I live"
    g = open_with(perhaps=[(LISBON, BERLIN)], same=[(again, BERLIN)])
    say(g, clock, BERLIN, LISBON)
    assert len(g.questions()) == 1
    (repeated,) = say(g, clock, again)
    assert g.questions() == []
    assert any("said again" in why for why in repeated.why)


def test_words_that_return_are_new_once_and_then_repeated(open_with, clock):
    g = open_with(part=[(LISBON, BERLIN), (BERLIN, LISBON)])
    _, lisbon, back = say(g, clock, BERLIN, LISBON, BERLIN)
    assert back.created
    assert back.superseded == (lisbon.id,)
    (again,) = say(g, clock, BERLIN)
    assert again.duplicate_of == back.id


def test_without_a_reader_nothing_is_decided(url, clock):
    with Glymph.open(url, clock=clock, reader="none", settings={"compare": "on"}) as g:
        g.add(BERLIN, kind="fact")
        assert g.add(LISBON, kind="fact", wait=True).superseded == ()


def test_what_happened_earlier_does_not_replace_what_happened_later(open_with, clock):
    g = open_with(replaces=[(LISBON, BERLIN)])
    berlin = g.add(BERLIN, kind="fact", event_at=clock() - timedelta(days=10))
    late = g.add(LISBON, kind="fact", event_at=clock() - timedelta(days=900), wait=True)
    assert late.superseded == ()
    assert len(late.conflicts) == 1
    assert g.get(berlin.id).superseded_by is None
    assert g.edges(berlin.id) == []


def test_a_kind_stays_where_the_same_is_said_without_one(open_with, clock):
    text, later = "The deploy key lives in Vault", "the deploy key lives in Vault!"
    g = open_with(same=[(text, text), (later, text)])
    (first,) = say(g, clock, text)
    again = g.add(text, wait=True)
    (kept,) = g.list().items
    assert (kept.id, kept.kind, kept.section) == (again.id, "fact", g.get(first.id).section)
    assert g.add(text, kind="fact").duplicate_of == kept.id
    assert g.verify().ok
    g.add(later, kind="decision", wait=True)
    assert [one.kind for one in g.list()] == ["decision"], "one that was given is kept"
