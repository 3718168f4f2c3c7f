"""The sweep: what says the same is named, what is near can be linked, nothing is merged."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app
from glymph.errors import GlymphError
from glymph.store import mirror, vector_column
from glymph.testing.embedders import WordEmbedder

TRADES = [
    f"Bought one hundred shares of ACME for the long account today at 4{digit}.50"
    for digit in range(5)
]


@pytest.fixture
def words(url, clock):
    """A handle whose embedder finds texts near that share words."""
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(512, ms=0.0), settings={"compare": "off"}
    ) as handle:
        yield handle


def verdicts(report):
    return {frozenset((pair.a, pair.b)): pair.verdict for pair in report.pairs}


@pytest.mark.parametrize("kind", ["trade_entry", "fact"])
def test_five_trades_that_differ_in_digits_stay_five(words, kind):
    words.add_many([{"text": text, "kind": kind} for text in TRADES])
    report = words.find_duplicates(apply=True)
    assert report.examined == 5
    assert len(report.pairs) == 10
    assert {pair.verdict for pair in report.pairs} == {"connect"}
    assert report.linked == 10
    assert len(words.list().items) == 5


def test_texts_that_differ_in_a_number_are_never_duplicates(words):
    told = (
        "The rent of the flat above the bakery in the old town of Ghent is {} euros a month all in"
    )
    words.add_many([told.format(900), told.format(950)])
    (pair,) = words.find_duplicates().pairs
    assert pair.verdict == "connect"
    assert "numbers" in pair.reason
    assert pair.cosine >= 0.9


def test_the_same_in_other_spelling_is_a_duplicate_of_targets_and_near_among_sources(words):
    once, again = "Ada prefers green tea in the morning.", "Ada prefers green tea, in the morning"
    words.add_many([{"text": text, "kind": "preference"} for text in (once, again)])
    report = words.find_duplicates()
    assert [pair.verdict for pair in report.duplicates] == ["duplicate"]
    words.add_many(
        [
            {"text": text, "kind": "event"}
            for text in ("The bell rang twice!", "The bell rang twice")
        ]
    )
    sources = [pair for pair in words.find_duplicates().pairs if "bell" in pair.titles[0]]
    assert [pair.verdict for pair in sources] == ["connect"]
    assert "EPISODIC" in sources[0].reason


def test_nothing_changes_unless_asked(words):
    words.add_many([{"text": text, "kind": "fact"} for text in TRADES])
    before, operations = words.graph(), words.operations()
    report = words.find_duplicates()
    assert (report.linked, report.operation_id) == (0, None)
    assert (words.graph(), words.operations()) == (before, operations)


def test_links_are_made_once_and_taken_back_as_one(words, monkeypatch):
    monkeypatch.setattr("glymph.write.duplicates.EDGES_AT_ONCE", 3)
    added = words.add_many([{"text": text, "kind": "fact"} for text in TRADES])
    words.link(added[1].id, added[0].id, "similar_to", 0.7)
    before = words.graph()
    report = words.find_duplicates(apply=True)
    assert report.linked == 9
    assert len(words.graph().edges) == 10
    again = words.find_duplicates(apply=True)
    assert (again.linked, again.operation_id) == (0, None)
    assert words.undo().operation_id
    assert words.graph().edges == before.edges
    assert words.operations(verb="dedup")[0].id == report.operation_id
    assert words.operations(verb="dedup")[0].undone_by is not None
    assert words.verify().ok


def test_only_what_is_live_and_current_is_compared(words, clock):
    added = words.add_many([{"text": text, "kind": "fact"} for text in TRADES])
    words.archive(added[0].id)
    words.delete(added[1].id)
    words.update(added[2].id, text="Something else altogether, about gardens")
    words.embed()
    report = words.find_duplicates()
    assert verdicts(report) == {frozenset((added[3].id, added[4].id)): "connect"}
    assert report.examined == 3


def test_other_spaces_are_left_alone(words, url, clock):
    words.add(TRADES[0])
    with Glymph.open(url, space="other", clock=clock, embedder=WordEmbedder(512, ms=0.0)) as other:
        other.add_many(TRADES[1:3], wait=True)
        before = other.graph()
        assert words.find_duplicates(apply=True).pairs == ()
        assert words.find_duplicates().examined == 1
        assert other.graph() == before
        assert len(other.find_duplicates().pairs) == 1


def test_vectors_that_are_not_mirrored_are_read_from_the_store(words, url, clock, monkeypatch):
    words.add_many([{"text": text, "kind": "fact"} for text in TRADES])
    words.update(words.list().items[0].id, text="Something else altogether, about gardens")
    words.embed()
    whole = words.find_duplicates()
    for module in (mirror, vector_column):
        monkeypatch.setattr(module, "EXACT_UP_TO", 2)
        monkeypatch.setattr(module, "KEPT_UP_TO", 2)
    monkeypatch.setattr("glymph.write.duplicates.PAGE", 4)  # more than the wordings of one memory
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(512, ms=0.0)) as later:
        streamed = later.find_duplicates()
    assert verdicts(streamed) == verdicts(whole)
    assert streamed.examined == whole.examined == 5
    cosines = [[pair.cosine for pair in report.pairs] for report in (streamed, whole)]
    assert np.allclose(*cosines, atol=1e-3)


def test_progress_tells_how_many_pairs_were_read(words, monkeypatch):
    monkeypatch.setattr("glymph.write.duplicates.PAIRS_AT_ONCE", 4)
    words.add_many([{"text": text, "kind": "fact"} for text in TRADES])
    told = []
    words.find_duplicates(progress=lambda done, total: told.append((done, total)))
    assert told == [(4, 10), (8, 10), (10, 10)]


def test_an_empty_space_has_no_duplicates_and_no_embedder_is_said(words, glymph):
    assert words.find_duplicates(apply=True).pairs == ()
    with pytest.raises(GlymphError, match="embedder"):
        glymph.find_duplicates()


# the command


@pytest.fixture
def command(words, url, monkeypatch):
    words.add_many([{"text": text, "kind": "fact"} for text in TRADES[:3]])
    monkeypatch.setattr(
        "glymph.embed.embedding.open_embedder", lambda *_, **__: WordEmbedder(512, ms=0.0)
    )
    return lambda *args: CliRunner().invoke(
        app, ["dedup", "--url", url, *args], env={"COLUMNS": "200"}
    )


def test_the_command_shows_pairs_and_the_next_step(command, words):
    said = command("--limit", "2")
    assert said.exit_code == 0, said.exception
    verdict, one, other = said.stdout.splitlines()[:3]
    assert verdict.startswith("connect 0.")
    assert {one.split(maxsplit=1)[1], other.split(maxsplit=1)[1]} <= set(TRADES[:3])
    assert "1 more: --limit 3 shows them all." in said.stdout
    last = "Compared 3 memories: 0 pairs say the same, 3 are near. Link those with: glymph prune dedup --apply"
    assert said.stdout.splitlines()[-1] == last
    assert words.graph().edges == ()
    assert "Linked 3. Take it back with: glymph undo " in command("--apply").stdout
    assert command("--apply").stdout.splitlines()[-1].endswith("There was nothing to link.")


def test_machines_get_one_document(command):
    found = json.loads(command("--json", "--limit", "1").stdout)
    assert (found["applied"], found["examined"], found["near"], found["duplicates"]) == (
        False,
        3,
        3,
        0,
    )
    assert len(found["pairs"]) == 1
    assert found["pairs"][0]["verdict"] == "connect"
