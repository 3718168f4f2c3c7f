"""A look that costs little never misses what a close one finds."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.forget.reword import Held, read_identifiers
from glymph.text.quotes import GONE, Quotes, words_in, words_of

WORDS = st.sampled_from(["Zoë", "zoe\u0308", "ferry", "FERRY", "noon", "straße", '"noon"', "a\\b"])
SAID = st.lists(WORDS, max_size=4).map(" ".join) | st.text(max_size=8)
NUMBERS = st.sampled_from(
    ["+49 703 9702812", "0049-703/9702812", "x", "９７０２８１２", "9702812", "zoe@x.example", "1"]
)
BODIES = st.dictionaries(
    st.sampled_from(["text", "title", "version"]),
    st.tuples(SAID, NUMBERS).map(" ".join) | st.integers(0, 99),
)


@given(st.lists(SAID, max_size=3), st.frozensets(WORDS, max_size=2), BODIES, st.booleans())
def test_a_document_that_is_not_read_repeats_nothing(texts, words, body, escaped):
    words = frozenset(word for one in words for word in words_of(one))
    held = Held(read_identifiers(["+49 703 9702812", "zoe@x.example"]))
    quotes = Quotes(tuple(texts), words, held, held.may_be_in)
    written = json.dumps(body, ensure_ascii=escaped)
    text = words_in(written)
    assert quotes.strongly(written) == (quotes.whole(text) or len(words & words_of(text)) > 1)


@given(st.tuples(SAID, NUMBERS, SAID).map(" ".join))
def test_what_holds_an_identifier_may_hold_it(text):
    held = Held(read_identifiers(["+49 703 9702812", "zoe@x.example"]))
    assert held.may_be_in(text) or not held(text)
    assert not held.may_be_in("x 12") or not held("x 12")


@pytest.mark.parametrize(
    ("removed", "said"),
    [
        ("Tina is allergic to lupins.", "Well, Tina is allergic to lupins, you know."),
        ("Tina is allergic to lupins!", "TINA  is allergic to\nlupins"),
        ("Ola skis.", "I heard Ola skis a lot"),
        ("李明对花生过敏。", "我说过李明对花生过敏，记得吗"),
        ("Tína skis in the Jura.", "Ti\u0301na skis in the Jura"),
    ],
)
def test_a_quotation_may_leave_out_the_last_mark_and_stand_in_a_longer_sentence(removed, said):
    quotes = Quotes((removed,))
    assert quotes.whole(said)
    assert quotes.strongly(json.dumps({"text": said}))
    cut = quotes.cut_from(said)
    assert cut != said
    assert not quotes.whole(cut)


def test_a_text_of_marks_or_a_short_one_is_not_found_inside_others():
    assert not Quotes(("Ola skis.",)).whole("Viola skis")
    assert not Quotes(("猫。",)).whole("熊猫很可爱")
    assert not Quotes(("...",)).whole("One. Two")
    assert Quotes(("Buy milk.",)).cut_from("Buy milk. Buy bread.") == f"{GONE} Buy bread."
