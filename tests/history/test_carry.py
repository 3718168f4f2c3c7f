"""What comes back after a host compacted its conversation."""

from __future__ import annotations

import json

import pytest

from glymph.errors import InvalidInput
from glymph.history import build
from glymph.history.build import carry_over
from glymph.text.shown import SHOWN_FROM, SHOWN_TO
from glymph.text.tokens import tokens
from glymph.write.junk import without_shown


def spoken(path, *texts, role="user"):
    lines = [{"type": role, "message": {"role": role, "content": text}} for text in texts]
    path.write_text("\n".join(["not json", *map(json.dumps, lines)]) + "\n", encoding="utf-8")
    return path


def test_what_tells_most_comes_back_between_marks_that_nothing_is_learnt_from(tmp_path):
    path = spoken(
        tmp_path / "t.jsonl",
        "Hi there!",
        "We decided to host Orion in Bergen from 3 May.",
        "Thanks!",
    )
    text = carry_over(path)
    assert text.startswith(SHOWN_FROM)
    assert text.endswith(SHOWN_TO)
    assert "- user: We decided to host Orion in Bergen from 3 May." in text
    assert "Thanks" not in text
    assert without_shown(text) == ""


def test_it_fits_its_budget_and_holds_no_secret(tmp_path):
    texts = [f"Crate {at} with {at * 3} lamps went to Oslo on day {at}." for at in range(400)]
    path = spoken(tmp_path / "t.jsonl", *texts, "The password is hunter2-Xy7!qq for Orion.")
    text = carry_over(path, budget=300)
    assert 100 < tokens(text) < 800
    assert "hunter2" not in text


def test_only_the_end_of_a_long_transcript_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(build, "CARRY_BYTES", 300)
    path = spoken(tmp_path / "t.jsonl", *(f"Crate {at} went to Oslo on 3 May." for at in range(50)))
    text = carry_over(path)
    assert "Crate 49" in text
    assert "Crate 1 " not in text


def test_a_session_in_which_nothing_was_said_brings_nothing_back(tmp_path):
    assert carry_over(spoken(tmp_path / "t.jsonl", "ok")) == ""
    with pytest.raises(InvalidInput, match="cannot be read"):
        carry_over(tmp_path / "gone.jsonl")
