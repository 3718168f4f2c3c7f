"""What a question is taken apart into."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.query import (
    MOST_PAIRED,
    MOST_PIECES,
    MOST_WORDS,
    Words,
    name_words,
    read_query,
    telling_words,
)


def known(*names):
    starting = {}
    for name in names:
        starting.setdefault(next(iter(name_words(name)), ""), []).append(name)
    return starting


def asked(query, *names, share=0.5):
    return read_query(query, known(*names), lambda name: share)


def test_stop_words_are_dropped_unless_there_is_nothing_else():
    assert asked("What is the price of tea?").words.words == ("price", "tea")
    assert asked("who is it").words.words == ("who", "is", "it")
    assert asked("Tea tea TEA").words.words == ("Tea",)


def test_words_that_stand_together_are_paired_but_names_are_not():
    question = asked("Where did Nate buy the red car?", "Nate")
    assert question.words.words == ("Nate", "buy", "red", "car")
    assert question.words.pairs == (("buy", "red"), ("red", "car"))
    assert question.words.only({"red", "car"}) == Words(("red", "car"), (("red", "car"),))
    assert asked(" ".join(f"w{n}" for n in range(MOST_PAIRED + 1))).words.pairs == ()


@pytest.mark.parametrize(
    ("query", "names", "found", "text"),
    [
        ("What did Nate buy?", ["Nate"], {"Nate"}, "What did buy?"),
        ("What is NATE'S dog called?", ["Nate"], {"Nate"}, "What is dog called?"),
        ("What is Nate’s dog called?", ["Nate"], {"Nate"}, "What is dog called?"),
        ("Is Nathan here?", ["Nate"], set(), "Is Nathan here?"),
        ("Is Mary Anne well?", ["Mary Anne", "Mary"], {"Mary Anne", "Mary"}, "Is well?"),
        ("Is Mary well?", ["Mary Anne"], set(), "Is Mary well?"),
        ("New York in spring", ["New York", "New Deal"], {"New York"}, "in spring"),
        ("a new deal in York", ["New York"], set(), "a new deal in York"),
        ("Frau Strauß singt", ["STRAUSS"], {"STRAUSS"}, "Frau singt"),
        ("O'Brien and O’Brien came", ["O'Brien"], {"O'Brien"}, None),
        ("caf\u0065\u0301 noir", ["Caf\u00e9"], {"Caf\u00e9"}, "noir"),
        ("Nate", ["Nate"], {"Nate"}, "Nate"),
        ("Nate, Joanna", ["Nate", "Joanna"], {"Nate", "Joanna"}, "Nate, Joanna"),
        ("!!!", ["???"], set(), "!!!"),
    ],
)
def test_names_are_found_whole_and_cut_from_what_is_embedded(query, names, found, text):
    question = asked(query, *names)
    assert question.names == found
    assert text is None or question.text == text


def test_a_rare_name_stays_in_what_is_embedded_and_one_nobody_carries_is_no_name():
    rare = asked("What did Nate buy?", "Nate", share=0.01)
    assert (rare.names, rare.text) == ({"Nate"}, "What did Nate buy?")
    gone = asked("What did Nate buy?", "Nate", share=0.0)
    assert (gone.names, gone.words.pairs) == (set(), (("Nate", "buy"),))


def test_scripts_without_spaces_are_cut_into_pieces():
    assert asked("東京タワー now").pieces == ("東京", "京タ", "タワ", "ワー")
    assert asked("水").pieces == ("水",)
    assert asked("plain words, привет, שלום").pieces == ()
    assert len(asked("".join(chr(0x4E00 + n) for n in range(200))).pieces) == MOST_PIECES


@given(query=st.text(max_size=300), names=st.lists(st.text(min_size=1, max_size=8), max_size=5))
def test_any_text_can_be_taken_apart(query, names):
    question = read_query(query, known(*names), lambda name: len(name) / 8)
    assert len(question.words.words) <= MOST_WORDS
    assert question.names <= set(names)
    assert all(word.isalnum() for word in question.words.words)
    assert {word for pair in question.words.pairs for word in pair} <= set(question.words.words)
    assert question.text or not query.split()
    assert telling_words(list(question.words.words)) == list(question.words.words)
