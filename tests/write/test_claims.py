"""What a text claims: moods, subjects, values, changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.write.claims import entry, news, predicates, read_claims


@pytest.mark.parametrize(
    ("text", "mood"),
    [
        ("I live in Bonn.", "said"),
        ("Do I live in Bonn?", "asked"),
        ("I might live in Bonn.", "supposed"),
        ("If I lived in Bonn I would cycle.", "supposed"),
        ("I want to live in Bonn.", "planned"),
        ("Tom said I live in Bonn.", "reported"),
        ("I used to live in Bonn.", "past"),
        ("I lived in Bonn in 2012.", "past"),
        ("I got married in May.", "said"),
    ],
)
def test_a_clause_has_a_mood(text, mood):
    assert read_claims(text)[0].mood == mood


def test_code_and_quotations_claim_nothing():
    assert read_claims("```\nport = 8080\n```") == ()
    assert not any(
        "lisbon" in claim.topic for claim in read_claims('"I moved to Lisbon," he wrote.')
    )


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I sold it.", {"me"}),
        ("We sold it.", {"me"}),
        ("My sister sold it.", {"me", "sist"}),
        ("Anna has a dog.", {"anna"}),
        ("The build server is slow.", {"build", "serv"}),
    ],
)
def test_a_clause_has_a_subject(text, subject):
    assert read_claims(text)[0].subject == subject


@pytest.mark.parametrize(
    ("text", "fresh"),
    [
        ("The team has grown to 12 people.", True),
        ("I raised my limit for the trip to $900.", True),
        ("I worry about the new limit of 900 words.", True),
        ("Let us see how to raise the limit to $900.", False),
        ("We would have moved it to 5 May.", False),
        ("The team has 12 people.", False),
        ("It is now 5 May 2024.", False),
    ],
)
def test_a_value_is_fresh_when_the_words_before_it_tell_a_change(text, fresh):
    assert any(flag for claim in read_claims(text) for flag in claim.fresh) is fresh


def test_a_pronoun_stands_for_what_came_before():
    claim = read_claims("I look forward to the call with Rita, which was rescheduled to 4 pm.")[-1]
    assert {"call", "rita"} <= claim.leads[0]


def test_a_label_and_item_are_an_entry():
    one, many = entry("Editor: Vim."), entry("Games I like: chess. It calms me.")
    assert one is not None
    assert many is not None
    assert not one.several
    assert many.several
    assert entry("I use Vim.") is None


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("I gave up chess.", True),
        ("I got rid of the sofa.", True),
        ("Tom stepped down as chair.", True),
        ("I don't play chess any more.", True),
        ("I have not given up chess.", False),
        ("I left the office at six.", False),
        ("I play chess.", False),
    ],
)
def test_a_clause_may_tell_an_end(text, ends):
    assert read_claims(text)[0].end is ends


def test_who_asks_whether_it_is_so_does_not_say_it():
    assert read_claims("Has the call been moved to 5 May?")[0].open
    assert not read_claims("Can you help, since the call was moved to 5 May?")[-1].open


def test_news_are_the_clauses_that_tell_of_something_new():
    text = "I like long walks by the sea, but I recently raised my limit to $900."
    assert "limit" in news(text)
    assert "walks" not in news(text)
    assert news("I raised my limit to $900.") == ""  # all of it is


def test_what_a_text_says_of_its_subjects_leads_to_words_that_say_the_same():
    assert "live" in predicates("I moved to Lisbon.")
    assert "divorced" in predicates("I got divorced.")
    assert predicates("Should I move to Lisbon?") == frozenset()


@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    for claim in read_claims(text):
        assert (
            len(claim.values)
            == len(claim.nouns)
            == len(claim.fresh)
            == len(claim.leads)
            == len(claim.heads)
        )
    entry(text)
