"""Clauses: found in several languages, and cut out without a word lost of the others."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.clauses import read_clauses
from glymph.text.lists import without_item, without_name, without_phrase

WORD = re.compile(r"\w+")


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("Eli works at Nike and plays the drums.", ["Eli works at Nike", "Eli plays the drums"]),
        ("Zoe lives in Oslo; she owns a boat.", ["Zoe lives in Oslo", "she owns a boat"]),
        ("Max, who works at Ford, lives in Cologne.", ["Max lives in Cologne", "Max works at Ford"]),
        ("Gus speaks Dutch, plays hockey, and collects coins.",
         ["Gus speaks Dutch", "Gus plays hockey", "Gus collects coins"]),
        ("Tim arbeitet bei SAP und spielt Geige.", ["Tim arbeitet bei SAP", "Tim spielt Geige"]),
        ("Léa travaille chez Airbus et joue du piano.", ["Léa travaille chez Airbus", "Léa joue du piano"]),
        ("Tom lives in Rome and Mia in Paris.", ["Tom lives in Rome", "Mia lives in Paris"]),
        ("Tom likes cats and dogs.", ["Tom likes cats and dogs"]),
        ("Am 3. Juni wog Max 80 kg.", ["Am 3. Juni wog Max 80 kg"]),
    ],
)  # fmt: skip
def test_a_text_comes_apart_where_something_else_is_said(text, clauses):
    assert [clause.whole for clause in read_clauses(text).clauses] == clauses


@pytest.mark.parametrize(
    ("text", "name", "left"),
    [
        ("Anna and Bob live in Rome.", "Bob", "Anna lives in Rome."),
        ("Kim, Lee and Pat play tennis.", "Lee", "Kim and Pat play tennis."),
        ("Both Hugo and Iris drive a Fiat.", "Hugo", "Iris drives a Fiat."),
        ("Quinn and Rae both drink matcha.", "Rae", "Quinn drinks matcha."),
        ("Anna und Bernd wohnen in Köln.", "Bernd", "Anna wohnt in Köln."),
        ("Paul et Marie habitent à Lille.", "Paul", "Marie habite à Lille."),
        ("Luis y Carmen viven en Sevilla.", "Luis", "Carmen vive en Sevilla."),
        ("Анна и Борис живут в Москве.", "Борис", "Анна живёт в Москве."),
        ("Bob and I run the shop.", "Bob", "I run the shop."),
    ],
)
def test_one_of_several_subjects_goes_and_the_verb_follows(text, name, left):
    assert without_name(text, lambda item: name in item.split()) == left


def test_one_thing_of_a_list_goes():
    assert (
        without_item("Yara likes sushi, ramen and udon", lambda item: item == "ramen")
        == "Yara likes sushi and udon"
    )
    assert (
        without_phrase("Ed has a son and a daughter", lambda item: "daughter" in item)
        == "Ed has a son"
    )
    assert without_name("Nobody is here", lambda item: True) is None


SUBJECTS = ["Anna", "Bob Miller", "The old server", "My sister", "Jürgen"]
PREDICATES = [
    "lives in Oslo", "works at Nike", "plays the drums", "owns two boats", "speaks Dutch", "is 34", "has a dog",
    "drinks tea", "moved to Graz in 2020",
]  # fmt: skip
GLUES = [" and ", ", and ", "; she ", ", but ", " while Carl ", ". He "]


@given(
    st.sampled_from(SUBJECTS),
    st.lists(st.sampled_from(PREDICATES), min_size=1, max_size=5, unique=True),
    st.data(),
)
def test_what_stays_keeps_every_word(subject, predicates, data):
    text = f"{subject} {predicates[0]}"
    for predicate in predicates[1:]:
        text += data.draw(st.sampled_from(GLUES)) + predicate
    parts = read_clauses(text + ".")
    dropped = data.draw(st.sets(st.sampled_from(range(len(parts.clauses)))))
    left = WORD.findall(parts.without(dropped).lower())
    for at, clause in enumerate(parts.clauses):
        if at not in dropped:
            assert set(WORD.findall(clause.text.lower())) <= set(left)
    assert parts.without(()) == text + "."


@given(st.text(max_size=120))
def test_any_text_comes_apart_and_loses_nothing(text):
    parts = read_clauses(text)
    assert parts.without(()) == text
    words = [word for clause in parts.clauses for word in WORD.findall(clause.text)]
    assert set(words) <= set(WORD.findall(text))
    assert not parts.clauses or parts.without(set(range(len(parts.clauses)))) == ""


@pytest.mark.parametrize("text", ["s;)", "s;(", "Ann sings; (", "a — !", "x;)."])
def test_marks_only_behind_what_joins_clauses_are_a_clause_of_their_own(text):
    assert read_clauses(text).without([0, 1]) == ""
    assert read_clauses(text).without([]) == text
