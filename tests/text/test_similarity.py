"""Guards: what a cosine does not see, and must never merge away."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.bands import Bands
from glymph.text.similarity import differ_in_values, differences, relation
from glymph.text.values import values


@pytest.mark.parametrize(
    ("a", "b", "guard"),
    [
        ("I have two cats.", "I have three cats.", "numbers"),
        ("The fee is 5 €.", "The fee is $5.", "numbers"),
        ("The run took 2 h.", "The run took 2 min.", "numbers"),
        ("We meet on 3 May.", "We meet on 4 May.", "dates"),
        ("We meet on Mondays.", "We meet on Tuesdays.", "dates"),
        ("It starts at 3 pm.", "It starts at 3 am.", "dates"),
        ("Write to jo@a.example.", "Write to jo@b.example.", "identifiers"),
        ("The sofa is model KX-200.", "The sofa is model KX-300.", "identifiers"),
        ("We run v2.1.0.", "We run v2.1.1.", "identifiers"),
        ("I eat fish.", "I don't eat fish.", "negation"),
        ("I met Anna there.", "I met Lena there.", "names"),
        ("I will sell it.", "I would sell it.", "modality"),
        ("I sold my bike.", "She sold her bike.", "person"),
        ("It works.", "It works?", "question"),
        ("The cat sleeps.", "The black cat sleeps.", "words"),
        ("The dog chased the man.", "The man chased the dog.", "order"),
    ],
)
def test_what_differs_is_connected_and_never_merged(a, b, guard):
    assert guard in differences(a, b)
    assert relation(a, b, 0.99)[0] == "connect"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I have two cats.", "I have 2 cats."),
        ("It took 2 hours.", "It took 120 minutes."),
        ("We meet on 3 May 2024.", "We meet on May 3rd, 2024."),
        ("I'm allergic to nuts.", "I am allergic to nuts"),
        ("My favourite colour is blue.", "My favorite color is blue."),
        ("Call +49 151 234-5678.", "Call +49 151 2345678."),
        ("A man is playing the drums.", "The man is playing drums."),
        ("The new chip set is fast.", "The new chipset is very fast."),
        ("She said it works.", "She says it works."),
    ],
)
def test_another_way_to_write_the_same_is_a_duplicate(a, b):
    assert differences(a, b) == ()
    assert relation(a, b, 0.97)[0] == "duplicate"


def test_bands_decide_where_no_guard_fires():
    near = ("The stove is hot.", "The stove is hot, is it")
    assert relation(*near, 0.93)[0] == "connect"
    assert relation(*near, 0.5)[0] == "nothing"
    assert relation(*near, 0.93, bands=Bands(duplicate=0.92, connect=0.8))[0] == "duplicate"
    assert relation(*near, None)[0] == "nothing"


def test_the_same_words_are_a_duplicate_at_any_cosine():
    assert relation("My number is 12.", "my number is 12!", None)[0] == "duplicate"


def test_given_entities_are_names():
    assert "names" in differences("apple rose", "apple rose", names=(("Acme",), ()))


@given(st.text(max_size=80), st.text(max_size=80))
def test_guards_are_symmetric_and_silent_on_the_same(a, b):
    assert differences(a, a) == ()
    assert differences(a, b) == differences(b, a)


@given(st.text(max_size=200))
def test_values_stand_where_they_say(text):
    found = values(text)
    assert all(0 <= value.start < value.end <= len(text) for value in found)
    assert list(found) == sorted(found, key=lambda value: value.start)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("C is fast", "C++ is fast"),
        ("It is -5 degrees", "It is 5 degrees"),
        ("a != b holds", "a == b holds"),
    ],
)
def test_symbols_tell_texts_apart(a, b):
    assert relation(a, b, None)[0] != "duplicate"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Ann owns 40% and Ben owns 60%", "Ann owns 60% and Ben owns 40%"),
        ("The rent is $900 and the salary is $2000", "The rent is $2000 and the salary is $900"),
        ("Lunch at 12:00 and call at 15:00", "Lunch at 15:00 and call at 12:00"),
    ],
)
def test_values_that_changed_places_are_never_the_same(a, b):
    assert "order" in differences(a, b)
    assert relation(a, b, 0.999)[0] == "connect"


@pytest.mark.parametrize(
    ("a", "b", "differ"),
    [
        ("The rent is 900 euros", "Our rent is 950 euros", True),
        ("The trial starts on 3 May 2026", "It starts on 4 May 2026", True),
        ("Tom eats fish", "Tom does not eat fish", True),
        ("The rent is 900 euros", "We pay 900 euros of rent", False),
        ("Tom eats fish", "Fish is something Tom eats", False),
    ],
)
def test_values_that_differ_are_told_apart_from_words_that_do(a, b, differ):
    assert differ_in_values(a, b) is differ
