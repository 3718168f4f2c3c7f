"""The benchmark of histories runs and counts what it says. No timing is asserted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from benchmarks import history
from benchmarks.harness.contract import Fact, Options
from benchmarks.harness.dialogues import Dialogue
from benchmarks.harness.shortened import Reached, told


def test_a_long_conversation_is_built_from_what_lies_after_its_cursor(tmp_path):
    figures = history._long(tmp_path / "long", Options(scale=0.02))
    assert figures["built_bytes"].value < figures["transcript_bytes"].value
    assert figures["long_consolidations"].value >= 1


def test_without_data_it_says_what_it_did_not_measure(tmp_path):
    (only,) = history._reachable(tmp_path, Options()).values()
    assert isinstance(only, Fact)
    assert "not measured" in only.value


def test_evidence_that_is_kept_is_reached_and_small_talk_is_not(tmp_path):
    dialogue = Dialogue("made up")
    for at in range(120):
        text = (
            f"I moved to Bergen {at} with my sister Annika in May 20{at % 90 + 10}."
            if at % 10 == 0
            else "Yeah, that is so nice!"
        )
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=at)
        dialogue.say(at, {"text": text, "entities": ["Ann" if at % 2 else "Bo"], "event_at": moment})
    dialogue.ask("Who moved to Bergen 40?", {40}, "cat1")
    dialogue.ask("Who said yeah?", {1}, "cat1")
    dialogue.ask("A trap?", {40}, "cat5")
    reached = Reached()
    told(dialogue, 0.3, tmp_path, None, reached)
    assert reached.reached["ours"] == [100.0, 0.0]
    assert reached.told["ours"] == [100.0, 0.0]
    assert reached.reached["tail"] == [0.0, 0.0]
    assert 0 < reached.spent[0] <= 0.3
