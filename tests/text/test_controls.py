"""No character of a text steers what shows it."""

from __future__ import annotations

import json

import pytest

from glymph.text.controls import escape_controls, remove_controls
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


FLAG = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"  # of England


@pytest.mark.parametrize("text", [FLAG, "❤\ufe0f", "葛\U000e0100", f"{FLAG} and 葛\U000e0101."])
def test_what_belongs_to_how_a_character_is_written_stays(text):
    assert remove_controls(text) == text
    assert line(text) == f"- {text}"


@pytest.mark.parametrize(
    "unseen",
    [
        "\U000e0049\U000e0067\U000e006e", "\U000e0001", "\U000e0139\U000e0157", "\U000e0100",
        "\ufe01\ufe02\ufe03",
    ],
)  # fmt: skip
def test_what_nobody_sees_and_a_model_reads_is_left_out(unseen):
    assert remove_controls(f"tea{unseen} time").replace("\ufe01", "") == "tea time"


@pytest.mark.parametrize("one", [*STEERING, "\U000e0041", "\U000e01ef", "\u2029"])
def test_a_json_document_says_the_same_without_a_character_that_steers(one):
    document = json.dumps({"a": f"x{one}y"}, ensure_ascii=False, indent=2)
    shown = escape_controls(document)
    assert json.loads(shown) == json.loads(document)
    assert one[0] not in shown
    assert shown.count("\n") == document.count("\n")
