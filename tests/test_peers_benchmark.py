"""Glymph beside other stores: the worker does every task, and the page says what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.harness import peer_page, peer_questions, peer_setup, peer_stores, peer_texts
from benchmarks.harness.contract import Options
from benchmarks.harness.dialogues import Asked
from benchmarks.harness.peer_questions import Talk
from glymph.testing.embedders import WordEmbedder

DOCS = Path(__file__).parents[1] / "docs"


class Words(WordEmbedder):
    """In place of the local model: as many numbers, and quick."""

    def keep(self) -> None: ...


@pytest.mark.nightly
def test_every_task_is_done_by_a_real_store_in_processes_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(peers.keeping, "local_model", lambda name: Words(384))
    monkeypatch.setattr(peers, "COLD", 1)
    monkeypatch.setattr(peers, "KILLS", 1)
    bench = peers.Bench(tmp_path, Options(scale=0.01))
    bench.talks = [
        Talk(
            corpus,
            ["Ada: I moved to Lisbon", "Ben: The tea is cold"],
            [
                {"text": "I moved to Lisbon", "entities": ["Ada"], "event_at": None},
                {"text": "The tea is cold", "event_at": "2026-01-02T00:00:00+00:00"},
            ],
            [Asked("Who moved to Lisbon?", frozenset({0}), 1, "cat4")],
        )
        for corpus in peer_questions.CORPORA
    ]
    figures = {name: figure.value for name, figure in bench.measure("glymph").items()}
    assert figures["stored"] == 20
    for name in ("writers_refused", "writes_refused", "writes_lost", "killed_lost", "killed_half"):
        assert figures[name] == 0, name
    assert figures["killed_acknowledged"] > 0
    assert figures["undo"] == 1
    assert figures["distinct_lost"] == 0
    assert 0 < figures["recall_at_10"] <= 1
    assert figures["add_acknowledged_cpu_ms"] <= figures["add_cpu_ms"]
    for name in ("locomo_r10", "beam_r10", "told_locomo_r10", "told_beam_r10"):
        assert figures[name] == 100, name
    assert min(figures[key] for key in ("add_cpu_ms", "search_cpu_ms", "cold_cpu_s")) > 0


def test_what_is_not_installed_is_not_found(tmp_path, monkeypatch):
    monkeypatch.setattr(peer_setup, "FOLDER", tmp_path)
    absent = peer_setup.Peer("None such", "no_such_module.inside", "none")
    monkeypatch.setitem(peer_setup.PEERS, "absent", absent)
    assert peer_setup.find_python("absent") is None
    assert peer_setup.find_python("server_memory") is None
    assert peer_setup.find_python("glymph") is not None


def test_the_page_and_its_picture_are_what_the_figures_say():
    figures = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    assert (DOCS / "benchmarks.md").read_text(encoding="utf-8") == peer_page.write_page(figures)
    for name, drawn in {"peers": peer_page.draw, "peers-recall": peer_page.draw_recall}.items():
        kept = (DOCS / "drawings" / f"{name}.svg").read_text(encoding="utf-8")
        assert kept == drawn(figures)


def test_without_the_questions_the_page_leaves_them_out():
    figures = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    assert "## What answers a question" in peer_page.write_page(figures)
    assert peer_questions.read_talks(Options()) == []
    del figures["locomo_n"]
    page = peer_page.write_page(figures)
    assert "## What answers a question" not in page
    assert "LoCoMo: " not in page


def test_lines_that_say_the_same_are_one_piece_of_evidence():
    lines = ["Ada: Yes", "Ben: It rains", "Ada: Yes"]
    asked = [
        Asked("", frozenset({0, 2}), 3, "cat1"),  # a third piece is not stored
        Asked("", frozenset({1}), 1, "cat1"),
    ]
    talk = Talk("locomo", lines, [], asked)
    assert talk.score([[2], [0, 2]]) == [50, 0]
    found = peer_questions.count_recall([talk, Talk("beam", lines, [], asked)], [[[2], [1]]] * 2)
    assert found["locomo_r10"].value == 75


def test_every_peer_has_a_store():
    assert set(peer_stores.OPEN) == set(peer_setup.PEERS)


def test_where_glymph_is_not_first_the_page_says_why():
    figures = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    names = peer_page.find_measured(figures)
    behind = figures | {"glymph_add_cpu_ms": 10_000.0}
    (row,) = [row for row in peer_page.COSTS if row.key == "add_cpu_ms"]
    assert row.why in peer_page.write_page(behind)
    ahead = figures | {f"{name}_add_cpu_ms": 10_000.0 for name in names[1:]}
    assert row.why not in peer_page.write_page(ahead)


@pytest.mark.parametrize("rows", [peer_page.COSTS, peer_page.ANSWERS, peer_page.HYGIENE[:3]])
def test_every_figure_that_a_peer_may_win_has_a_reason(rows):
    assert all(row.why for row in rows)


def test_the_small_set_says_nothing_twice_but_on_purpose():
    texts = peer_texts.in_order()
    assert len(texts) == len(set(texts))
