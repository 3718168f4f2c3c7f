"""The benchmarks of the write path count what they say they count, on made-up data."""

from __future__ import annotations

import gzip
import json

import pytest

from benchmarks import duplicates, updates
from benchmarks.harness import changes
from benchmarks.harness.contract import Options
from glymph.reader.contract import Judgement
from glymph.testing.embedders import WordEmbedder
from glymph.text.words import plain_words
from tests.grounds.reading import SHARES, ScriptedReader

SAID = [
    "My dentist appointment is on 3 May at 2 pm.",
    "I am painting the fence in the garden.",
    "My dentist appointment was moved to 5 May at 4 pm.",
    "I have never painted the fence in the garden.",
]
CHANGED = {"type_description": "Games I like", "reason": "It is fun."}


@pytest.fixture
def options(tmp_path):
    messages = [
        {
            "chat": "a",
            "id": number,
            "role": "user",
            "batch": 1,
            "time": "March-01-2024",
            "text": text,
        }
        for number, text in enumerate(SAID)
    ]
    asked = {"chat": "a", "answer": "", "rubric": []}
    questions = [
        {**asked, "qid": 1, "ability": "knowledge_update", "question": "When is my dentist appointment?",
         "source_ids": [0, 2], "old_ids": [0], "new_ids": [2]},
        {**asked, "qid": 2, "ability": "contradiction_resolution", "question": "Did I paint the fence?",
         "source_ids": [1, 3], "first_ids": [1], "second_ids": [3]},
    ]  # fmt: skip
    event = {"user": 0, "event": 1, "changed_index": 2, "event_text": "I lost interest in chess."}
    events = [
        {**event, "direction": "Delete", "before": [{**CHANGED, "specific_item": "Chess"}], "after": []},
        {**event, "direction": "Modify", "before": [{**CHANGED, "specific_item": "Poker"}],
         "after": [{**CHANGED, "specific_item": "Poker with friends"}]},
    ]  # fmt: skip
    pair = {"part": "dev", "a": "I own a red car.", "b": "I own a red car!", "label": 1}
    near = {**pair, "b": "I own a blue car.", "label": 0}
    for name, rows in {
        "beam_messages.jsonl.gz": messages,
        "neardup_stsb.jsonl.gz": [pair, near],
    }.items():
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    for name, part in (("msrp", "val"), ("abt_buy", "test")):
        with gzip.open(tmp_path / f"neardup_{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.write(json.dumps({**near, "part": part}) + "\n")
    plain = {"beam_questions.jsonl": questions, "halumem_events.jsonl": events}
    turn = {"conv": "c", "session": 1, "speaker": "Ann", "date": "1:56 pm on 8 May, 2023"}
    plain["locomo_turns.jsonl"] = [{**turn, "id": "D1:1", "text": "The ferry leaves from Dover."}]
    plain["locomo_questions.jsonl"] = [
        {"conv": "c", "category": 4, "question": "Where is the ferry?", "evidence": ["D1:1"]},
        {"conv": "c", "category": 5, "question": "Who sells cheese?", "evidence": ["D1:1"]},
    ]
    plain["neardup_sick.jsonl"] = [{**near, "part": "trial", "relation": "CONTRADICTION"}]
    for name, rows in plain.items():
        (tmp_path / name).write_text(
            "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
        )
    return Options(data=tmp_path)


class ByWords(ScriptedReader):
    """Holds what shares one of these words to be out of date, or perhaps."""

    def relate(self, newer, older):
        return [Judgement("none", 1.0, SHARES[self.find(newer, text)]) for text in older]

    def find(self, newer, text):
        shared = set(plain_words(newer)) & set(plain_words(text))
        if shared & {"dentist", "chess", "poker"}:
            return "replaces"
        return "perhaps" if "fence" in shared else "none"


def values(figures):
    return {name: figure.value for name, figure in figures.items()}


def test_updates_count_what_was_replaced_and_what_should_not_have_been(options):
    found = values(updates.run(options, embedder=WordEmbedder(ms=0), reader=ByWords()))
    assert (found["pairs"], found["superseded"], found["newer_above_stale_count"]) == (1, 1, 1)
    assert (found["locomo_r10"], found["locomo_r10_alone"]) == (100, 100)
    assert (found["needed"], found["wrongly_superseded"]) == (3, 0)
    assert (found["contradictions"], found["contradiction_hits"]) == (1, 1)
    assert (found["halumem_precision"], found["halumem_recall"]) == (100, 100)
    assert found["beam_r10"] <= found["beam_r10_alone"] == 100


def test_duplicates_count_merges_and_look_into_the_traps(options):
    found = values(duplicates.run(options, embedder=WordEmbedder(ms=0)))
    assert (found["pairs"], found["merged"], found["precision"], found["recall"]) == (
        5,
        1,
        100,
        100,
    )
    assert (found["traps_sick"], found["false_merges_sick"]) == (1, 0)
    assert (found["traps_abt_buy"], found["false_merges_abt_buy"]) == (1, 0)


def test_an_update_has_two_sides_that_are_stored(options):
    (chat,) = changes.beam(options)
    assert [(update.stale, update.newer) for update in chat.updates] == [({0}, {2})]
    assert chat.needed == {1, 2, 3}


def test_wilsons_interval_is_wide_for_few():
    least, most = updates.wilson(16, 18)
    assert (round(least, 1), round(most, 1)) == (67.2, 96.9)
    assert updates.wilson(0, 0) == (0, 100)
