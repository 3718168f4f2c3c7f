"""A look that costs little never misses what a close one finds."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from glymph.forget.reword import Held, read_identifiers
from glymph.text.quotes import Quotes, words_in, words_of

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
