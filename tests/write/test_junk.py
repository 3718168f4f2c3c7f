"""What is not worth remembering, and why; and what is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.write import junk

NOISE = {
    "": "punctuation", "!!!": "punctuation", "👍🎉": "punctuation", "x": "too short", "ok thanks": "filler",
    "Yeah, sure!": "filler", "aaaaaaaaaa": "same characters", "hahahahaha": "same characters",
    "sdfkjhsdkjfhxcvmnb": "random", "§$%&/()=?`* ab": "symbols",
    f"{junk.SHOWN_FROM}Ada lives in Berlin{junk.SHOWN_TO}": "shown",
}  # fmt: skip
WORTH = [
    "Ada lives in Berlin", "ETH", "42", "日", "port 8080", "The rhythm myths", "ok, the meeting is at nine",
    "Привет, Анна живёт в Риге", "def f(x): return x", "TKT-0042", "a b c", "1111 1111",
    f"{junk.SHOWN_FROM}old{junk.SHOWN_TO} Ada moved to Lisbon in the spring of last year",
]  # fmt: skip


@pytest.mark.parametrize("text", NOISE)
def test_noise_is_told_with_its_reason(text):
    assert NOISE[text] in (junk.find_junk(text) or "")


@pytest.mark.parametrize("text", WORTH)
def test_what_says_something_is_let_in(text):
    assert junk.find_junk(text) is None


def test_what_was_shown_is_cut_out_and_the_rest_stays():
    assert junk.without_shown(f"before {junk.SHOWN_FROM}x{junk.SHOWN_TO} after") == "before   after"
    assert junk.without_shown(f"before {junk.SHOWN_FROM}never closed") == "before"


words = st.sampled_from(
    "the river runs past old mill and over stones where herons wait ok yes no".split()
)


@given(st.lists(words, max_size=30), st.sampled_from([" ", ", ", " -- ", "! ", "  "]))
def test_the_short_way_never_lets_in_what_the_long_way_refuses(chosen, between):
    text = between.join(chosen)
    if junk._plainly_prose(text):
        assert junk._junk(text) is None
