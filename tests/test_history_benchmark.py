"""The benchmark of histories runs and counts what it says. No timing is asserted."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from benchmarks import history
from benchmarks.harness import chats
from benchmarks.harness.contract import Fact, Options, Unavailable
from benchmarks.harness.dialogues import Dialogue
from benchmarks.harness.shortened import Reached, _Index, _message, _with, told

CRATE = "I sent crate 4711 from Bergen to Lisbon on 3 March with my sister Annika."
ANSWER = "Noted! Crate 4711 reaches Lisbon on 9 March."


def no_model(name: str) -> None:
    raise Unavailable("needs no model here.")


def beam_folder(folder: Path) -> Path:
    """One chat of forty messages, in the files and fields of BEAM.

    The third question names no message.
    """
    texts = [CRATE, ANSWER, *(f"Okay, {'yes ' * (at % 3 + 1)}that is so nice!" for at in range(38))]
    messages = [
        {"chat": "c", "id": at, "role": ("user", "assistant")[at % 2], "batch": 1, "text": text,
         "time": None if at else "March-15-2024"}
        for at, text in enumerate(texts)
    ]  # fmt: skip
    questions = [
        {
            "chat": "c",
            "ability": "information_extraction",
            "question": "Which crate?",
            "source_ids": [0],
        },
        {
            "chat": "c",
            "ability": "summarization",
            "question": "What about Lisbon?",
            "source_ids": [0, 1],
        },
        {
            "chat": "c",
            "ability": "abstention",
            "question": "What is my shoe size?",
            "source_ids": [],
        },
    ]
    (folder / "beam_messages.jsonl.gz").write_bytes(gzip.compress(lines(messages).encode()))
    (folder / "beam_questions.jsonl").write_text(lines(questions), encoding="utf-8")
    return folder


def lines(rows: list) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def test_a_long_conversation_is_built_from_what_lies_after_its_cursor(tmp_path):
    figures = history._long(tmp_path / "long", Options(scale=0.02))
    assert figures["built_bytes"].value < figures["transcript_bytes"].value
    assert figures["long_consolidations"].value >= 1


def test_without_data_it_says_what_it_did_not_measure(tmp_path):
    found = history._reachable(tmp_path, Options())
    assert list(found) == ["reachable", "beam_reachable"]
    assert all(isinstance(fact, Fact) and "not measured" in fact.value for fact in found.values())


def test_what_is_missing_of_one_corpus_does_not_hide_the_other(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "local_model", no_model)
    found = history._reachable(tmp_path, Options(data=beam_folder(tmp_path)))
    assert "locomo_turns.jsonl" in found["reachable"].value
    assert found["recall_model"].value == "none"
    assert found["constants_chosen_on"].value == "LoCoMo dev"
    assert "BEAM" in found["weights_chosen_on"].value
    for share in (5, 10, 20):
        for name in (
            "reachable",
            "tail",
            "fts5",
            "fts5_memories",
            "told",
            "told_fts5_memories",
            "spent",
        ):
            assert f"beam_{name}_at_{share}" in found
            assert f"{name}_at_{share}" not in found
        assert found[f"beam_questions_at_{share}"].value == 2
    assert found["beam_reachable_at_20"].value >= 50, "the crate's number is what the chat tells"
    assert found["beam_tail_at_20"].value == 0


def test_a_chat_is_told_in_its_roles_and_asked_for_what_it_names(tmp_path):
    (chat,) = chats.beam(Options(data=beam_folder(tmp_path)))
    assert _message(chat, 0) == {"role": "user", "content": CRATE}
    assert _message(chat, 1) == {"role": "assistant", "content": ANSWER}
    assert chat.items[39]["event_at"] == datetime(2024, 3, 15, tzinfo=UTC), (
        "the last day given is carried forward"
    )
    assert [(one.evidence, one.whole, one.group) for one in chat.questions] == [
        ({0}, 1, "information_extraction"), ({0, 1}, 2, "summarization"),
    ]  # fmt: skip


def test_evidence_that_is_kept_is_reached_and_small_talk_is_not(tmp_path):
    dialogue = Dialogue("made up")
    for at in range(120):
        text = (
            f"I moved to Bergen {at} with my sister Annika in May 20{at % 90 + 10}."
            if at % 10 == 0
            else "Yeah, that is so nice!"
        )
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(hours=at)
        dialogue.say(
            at, {"text": text, "entities": ["Ann" if at % 2 else "Bo"], "event_at": moment}
        )
    dialogue.ask("Who moved to Bergen 40?", {40}, "cat1")
    dialogue.ask("Who said yeah?", {1}, "cat1")
    dialogue.ask("A trap?", {40}, "cat5")
    reached = Reached()
    told(dialogue, 0.3, tmp_path, None, reached)
    assert reached.reached["ours"] == [100.0, 0.0]
    assert reached.told["ours"] == [100.0, 0.0]
    assert reached.reached["tail"] == [0.0, 0.0]
    assert 0 < reached.spent[0] <= 0.3


def test_fts5_over_memories_brings_all_that_a_memory_has_beside_what_is_shown():
    moved, bought, late = "I moved to Bergen.", "I bought a violin.", "The ferry is late."
    index = _Index(
        [
            (f"Bo: {moved}\nAnn: {bought}", [(40, moved), (42, bought)]),
            (f"Bo: {late}", [(60, late)]),
        ]
    )
    found = _with({7: ["Hello."]}, index.first("Who moved to Bergen?"))
    assert found == {7: ["Hello."], 40: [moved], 42: [bought]}
    assert _with({}, index.first("Who?")) == {}, "nothing but stop words is asked for"


def test_what_memory_md_shows_counts_for_fts5_over_memories_and_not_for_fts5_over_single_texts(
    tmp_path,
):
    dialogue = Dialogue("made up")
    for at in range(120):
        text = "My sister Annika bought a violin in 2021." if at == 42 else "Yeah, that is so nice!"
        moment = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=at)
        dialogue.say(
            at, {"text": text, "entities": ["Ann" if at % 2 else "Bo"], "event_at": moment}
        )
    dialogue.ask("Zanzibar?", {42}, "cat1")
    reached = Reached()
    told(dialogue, 0.3, tmp_path, None, reached)
    assert (
        reached.reached["kept"]
        == reached.reached["ours"]
        == reached.reached["fts5_memories"]
        == [100.0]
    )
    assert reached.reached["fts5"] == reached.reached["tail"] == [0.0]
