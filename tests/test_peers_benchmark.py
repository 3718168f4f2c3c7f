"""Glymph beside other stores: the worker does every task, and the page says what was measured."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.harness import peer_page, peer_setup, peer_texts
from benchmarks.harness.contract import Options
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
    figures = {name: figure.value for name, figure in bench.measure("glymph").items()}
    assert figures["stored"] == 20
    for name in ("writers_refused", "writes_refused", "writes_lost", "killed_lost", "killed_half"):
        assert figures[name] == 0, name
    assert figures["killed_acknowledged"] > 0
    assert figures["undo"] == 1
    assert figures["distinct_lost"] == 0
    assert 0 < figures["recall_at_10"] <= 1
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
    drawn = peer_page.draw(figures)
    assert (DOCS / "drawings" / "peers.svg").read_text(encoding="utf-8") == drawn


def test_where_glymph_is_not_first_the_page_says_why():
    figures = json.loads((DOCS / "benchmarks.json").read_text(encoding="utf-8"))
    names = peer_page.find_measured(figures)
    behind = figures | {"glymph_add_cpu_ms": 10_000.0}
    (row,) = [row for row in peer_page.COSTS if row.key == "add_cpu_ms"]
    assert row.why in peer_page.write_page(behind)
    ahead = figures | {f"{name}_add_cpu_ms": 10_000.0 for name in names[1:]}
    assert row.why not in peer_page.write_page(ahead)


@pytest.mark.parametrize("rows", [peer_page.COSTS, peer_page.HYGIENE[:3]])
def test_every_figure_that_a_peer_may_win_has_a_reason(rows):
    assert all(row.why for row in rows)


def test_the_small_set_says_nothing_twice_but_on_purpose():
    texts = peer_texts.in_order()
    assert len(texts) == len(set(texts))
