"""No character of a text steers what shows it."""

from __future__ import annotations

import pytest

from glymph.text.controls import remove_controls
from glymph.text.shown import line

STEERING = [
    "\x1b[2J", "\x9b31m", "\x07", "\x7f", "\x85", "\u202e", "\u202a", "\u2066", "\u2069", "\u2028"
]  # fmt: skip


@pytest.mark.parametrize("one", STEERING)
def test_what_steers_is_replaced(one):
    for shown in (remove_controls(f"a{one}b"), line(f"a{one}b")):
        assert one[0] not in shown
        assert "a" in shown
        assert "b" in shown


@pytest.mark.parametrize(
    "text", ["a\tb\nc", "naïve café", "שלום \u200fעולם", "مرحبا", "👩\u200d🚒", "東京"]
)
def test_everything_else_stays(text):
    assert remove_controls(text) == text
