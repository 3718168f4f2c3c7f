"""Normal forms, hashes, titles and search words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.ids import is_uuid7, uuid7
from glymph.text.normal import content_hash, derive_title, is_derived_title, normalise


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("I  LIVE in\nBerlin", "i live in berlin"),
        ("Straße", "STRASSE"),
        ("ﬁne", "fine"),
        ("Ａ１", "a1"),
        ("ΠΡΟΪ\u0301ΣΤΑΜΑΙ", "προΐσταμαι"),
        (
            "zero\u200bwidth, so\u00adft, \ufeffmark, word\u2060joiner",
            "zerowidth, soft, mark, wordjoiner",
        ),
        ("e\u200b\u0301", "é"),
    ],
)
def test_case_spacing_and_unicode_form_do_not_make_a_difference(a, b):
    assert normalise(a) == normalise(b)
    assert content_hash(a, "note", None) == content_hash(b, "note", None)


@given(st.text(max_size=40))
def test_a_normal_form_stays_as_it_is(text):
    assert normalise(normalise(text)) == normalise(text)


def test_kind_event_time_and_digits_do():
    base = content_hash("BTC closed at 100", "trade_close", None)
    assert base != content_hash("BTC closed at 101", "trade_close", None)
    assert base != content_hash("BTC closed at 100", "note", None)
    assert base != content_hash("BTC closed at 100", "trade_close", 5)


@given(st.text(max_size=300))
def test_a_derived_title_is_one_short_line(text):
    title = derive_title(text)
    assert len(title) <= 80
    assert "\n" not in title


def test_a_title_is_the_first_sentence_or_ends_in_an_ellipsis():
    assert derive_title("Buy milk. And bread.") == "Buy milk."
    assert derive_title("v1.2 is out") == "v1.2 is out"
    assert derive_title("Dr. Varga moved it. Bring the card.") == "Dr. Varga moved it."
    assert derive_title("Ask at no. 5 for J. Smith! He knows.") == "Ask at no. 5 for J. Smith!"
    assert derive_title("牛乳を買う。パンも。") == "牛乳を買う。"
    long = derive_title("word " * 40)
    assert long.endswith("word…")


@given(st.text(min_size=1, max_size=300))
def test_a_derived_title_is_known_as_one(text):
    assert is_derived_title(derive_title(text), text)


def test_a_title_that_somebody_gave_is_not_derived():
    assert not is_derived_title("The check-up", "Dr. Varga moved it. Bring the card.")


@given(st.integers(0, 2**50), st.binary(min_size=8, max_size=8), st.binary(min_size=8, max_size=8))
def test_ids_are_uuid7_and_sort_by_time(at, one, two):
    earlier, later = uuid7(at, one), uuid7(at + 1, two)
    assert is_uuid7(earlier)
    assert is_uuid7(later)
    assert earlier < later
