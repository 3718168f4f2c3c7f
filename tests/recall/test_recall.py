"""Looking leaves no trace; reporting use reinforces by the rule."""

from __future__ import annotations

import math
from datetime import timedelta

import fsrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph import Glymph, errors
from glymph.testing import FrozenClock, logical_image
from tests.decay.test_fsrs import reference


def used(glymph, memory_id, outcome="used"):
    found = glymph.recall(glymph.get(memory_id).text)
    return glymph.report(found.id, **{outcome: [memory_id]})


def test_search_finds_words_in_any_form_and_ranks_the_better_match_first(glymph):
    close = glymph.add("Trading reports are due on Fridays")
    glymph.add(
        "A report about something else entirely, with many other words that dilute the match"
    )
    hits = glymph.search("when is the trading REPORT due?")
    assert hits[0].memory.id == close.id
    assert hits[0].score >= hits[-1].score > 0
    assert hits[0].parts["keyword"] == 1.0
    assert hits[0].why


@pytest.mark.parametrize(
    "word", ["Straße", "naïve", "ÉCOLE", "Ünal", "日本語", "Ελλάδα", "O'Brien", "v1.2", "İstanbul"]
)
def test_a_word_finds_itself_in_any_script(glymph, word):
    added = glymph.add(f"a note about {word} and more")
    assert [hit.memory.id for hit in glymph.search(word)] == [added.id]


def test_archived_trashed_superseded_and_expired_memories_stay_out_unless_asked(glymph, clock):
    live, archived, trashed = (glymph.add(f"tulip {word}").id for word in ("red", "white", "blue"))
    glymph.add("tulip for a day", expires_at=clock.now + timedelta(days=1))
    glymph.archive(archived)
    glymph.delete(trashed)
    clock.advance(days=2)
    assert [hit.memory.id for hit in glymph.search("tulip")] == [live]
    assert [hit.memory.id for hit in glymph.search("tulip", states=["ARCHIVED"])] == [archived]
    everything = glymph.search("tulip", states=["LIVE", "ARCHIVED", "TRASHED"])
    assert {hit.memory.id for hit in everything} == {live, archived, trashed}


def test_a_budget_packs_the_best_hits_that_fit(glymph):
    glymph.add_many(["apple " + "orchard " * 11, "apple pear " + "ripe " * 6])
    assert len(glymph.search("apple", budget_tokens=100)) == 2
    assert len(glymph.search("apple", budget_tokens=12)) == 1
    assert glymph.search("apple", budget_tokens=1) == []
    with pytest.raises(errors.InvalidInput, match="budget_tokens"):
        glymph.search("apple", budget_tokens=0)


def test_several_spaces_are_read_only_by_name(url, clock):
    with (
        Glymph.open(url, space="one", clock=clock) as one,
        Glymph.open(url, space="two", clock=clock) as two,
    ):
        one.add("common ground"), two.add("common sense")
        assert [h.memory.space for h in one.search("common")] == ["one"]
        assert {h.memory.space for h in one.search("common", spaces=["one", "two"])} == {
            "one",
            "two",
        }
        with pytest.raises(errors.SpaceNotFound):
            one.search("common", spaces=["one", "three"])


def test_recall_alone_changes_nothing_and_a_report_does(glymph, clock):
    memory_id = glymph.add("the server room is cold").id
    clock.advance(days=30)
    before = logical_image(glymph._ctx.store, "default")
    found = glymph.recall("server room")
    assert logical_image(glymph._ctx.store, "default") == before
    receipt = glymph.report(found.id, used=[memory_id])
    memory = glymph.get(memory_id)
    assert receipt.succeeded == (memory_id,)
    assert (memory.access_count, memory.retrievability, memory.version) == (1, 1.0, 1)


@pytest.mark.parametrize(
    ("outcome", "rating"), [("used", 3), ("confirmed", 4), ("contradicted", 1)]
)
def test_outcomes_are_the_ratings_of_fsrs(glymph, clock, outcome, rating):
    """PROCEDURAL has the exponent of the reference package, so the figures must be equal."""
    memory_id = glymph.add("always check the spread first", kind="playbook").id
    clock.advance(days=40)
    used(glymph, memory_id, outcome)
    stability, difficulty = reference(
        180.0, glymph.history(memory_id)[-1].before["difficulty"], 40, rating
    )
    memory = glymph.get(memory_id)
    assert (memory.stability, memory.difficulty) == pytest.approx(
        (min(stability, 730.0), difficulty), rel=1e-9
    )
    assert fsrs.Rating(rating)


def test_a_second_report_within_a_day_counts_but_moves_nothing(glymph, clock):
    memory_id = glymph.add("tea is at four", kind="playbook").id
    clock.advance(days=40)
    used(glymph, memory_id)
    after_first = glymph.get(memory_id)
    clock.advance(hours=20)
    used(glymph, memory_id)
    memory = glymph.get(memory_id)
    assert (memory.stability, memory.difficulty) == (after_first.stability, after_first.difficulty)
    assert (memory.access_count, memory.last_used_at) == (2, clock.now)


def test_a_better_outcome_within_a_day_replaces_the_rating_and_a_worse_one_does_not(url):
    def after(*outcomes):
        clock = FrozenClock()
        with Glymph.open(url, space="-".join(("s", *outcomes)), clock=clock) as g:
            memory_id = g.add("tea is at four", kind="playbook").id
            clock.advance(days=40)
            for outcome in outcomes:
                used(g, memory_id, outcome)
                clock.advance(hours=2)
            memory = g.get(memory_id)
            return memory.stability, memory.difficulty

    assert after("used", "confirmed") == after("confirmed")
    assert after("contradicted", "used") == after("used")
    assert after("used", "contradicted") == after("used")
    assert after("confirmed") > after("used") > after("contradicted")


def test_use_on_the_day_of_birth_counts_but_does_not_strengthen(glymph, clock):
    memory_id = glymph.add("fresh").id
    clock.advance(hours=3)
    used(glymph, memory_id, "confirmed")
    assert (glymph.get(memory_id).stability, glymph.get(memory_id).access_count) == (60.0, 1)


def test_daily_use_keeps_strengthening(glymph, clock):
    memory_id = glymph.add("used every twenty hours").id
    for _ in range(6):
        clock.advance(hours=20)
        used(glymph, memory_id)
    assert glymph.get(memory_id).stability > 60.0


def test_stability_never_exceeds_the_sections_maximum(glymph, clock):
    memory_id = glymph.add("price alert", kind="signal").id
    for _ in range(12):
        clock.advance(days=60)
        used(glymph, memory_id, "confirmed")
    assert glymph.get(memory_id).stability == 30.0


def test_memories_used_together_strengthen_their_link(glymph, clock):
    a = glymph.add("alpha beta")
    b = glymph.add("alpha gamma", links=[(a.id, "related_to")])
    c = glymph.add("alpha delta", links=[(a.id, "related_to")])
    weights = lambda: {e.source: round(e.weight, 2) for e in glymph.edges(a.id)}  # noqa: E731
    found = glymph.recall("alpha")
    glymph.report(found.id, used=[a.id, b.id])
    assert weights() == {b.id: 0.55, c.id: 0.5}
    glymph.report(found.id, confirmed=[a.id, b.id])
    assert weights() == {b.id: 0.65, c.id: 0.5}
    glymph.recall("alpha", reinforce=True)
    assert weights() == {b.id: 0.68, c.id: 0.53}
    glymph.report(found.id, used=[a.id], contradicted=[c.id])
    assert weights() == {b.id: 0.68, c.id: 0.53}


def test_reports_name_what_they_could_not_take(glymph):
    shown, other = glymph.add("kestrel").id, glymph.add("owl").id
    found = glymph.recall("kestrel")
    glymph.archive(shown)
    receipt = glymph.report(found.id, used=[shown, other, "nonsense"])
    assert [r.id for r in receipt.skipped] == [shown]
    assert [r.id for r in receipt.failed] == [other, "nonsense"]
    with pytest.raises(errors.RecallNotFound):
        glymph.report("nonsense", used=[shown])


@pytest.mark.parametrize("limit", [0, -1, 1001, True, 2.5, math.nan])
def test_a_limit_must_be_sensible(glymph, limit):
    with pytest.raises(errors.InvalidInput, match="limit"):
        glymph.search("x", limit=limit)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('library')}/memory.db"
    with Glymph.open(url, space="other") as other, Glymph.open(url, space="mine") as mine:
        words = [
            "NEAR",
            "AND",
            "OR",
            "NOT",
            '"quoted"',
            "a*b",
            "title:x",
            "col^2",
            "(paren)",
            "日本語",
            "🙂",
            "naïve",
            "x'y",
        ]
        mine.add_many([*words, "plain words"])
        other.add_many([f"{word} elsewhere" for word in words])
        yield mine


fts_syntax = st.sampled_from(
    ['"', "*", "^", "NEAR(", "AND", "OR", "NOT", ":", "-", "+", "{", "}", "(", ")", "title:", "'"]
)


@given(
    query=st.one_of(
        st.text(min_size=1, max_size=60), st.lists(fts_syntax, min_size=1).map(" ".join)
    )
)
def test_no_query_raises_or_reaches_another_space(library, query):
    try:
        hits = library.search(query)
    except errors.InvalidInput:
        assert not query.strip() or "\0" in query or any(0xD800 <= ord(c) <= 0xDFFF for c in query)
    else:
        assert all(hit.memory.space == "mine" for hit in hits)
