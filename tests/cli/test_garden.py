"""`glymph sleep garden` says what it would do, does it when told; `glymph status order` says what is next."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app
from glymph.testing.embedders import WordEmbedder

TEA = ("Ada prefers green tea in the morning.", "Ada prefers green tea, in the morning")


@pytest.fixture
def run(url, monkeypatch):
    """A command on a store of a year ago.

    The store has two links that faded, two memories that say the same, and an orphan.
    """
    born = datetime.now(UTC) - timedelta(days=400)
    settings = {"compare": "off"}
    with Glymph.open(
        url, clock=lambda: born, embedder=WordEmbedder(512, ms=0.0), settings=settings
    ) as glymph:
        a, b, c = [
            one.id for one in glymph.add_many([f"Place {n} is near river {n}" for n in range(3)])
        ]
        glymph.link(a, b, "related_to")
        glymph.link(b, c, "similar_to")
        glymph.add_many([{"text": text, "kind": "preference"} for text in TEA])
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "120")

    def call(*args):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        assert result.exit_code == 0, result.output
        return result.output

    return call


@pytest.fixture
def with_meaning(monkeypatch):
    monkeypatch.setattr(
        "glymph.embed.embedding.open_embedder", lambda *a, **k: WordEmbedder(512, ms=0.0)
    )


def test_it_only_says_what_it_would_do_until_it_is_applied(run, with_meaning):
    said = run("garden")
    assert "2 faded links would be dropped, 2 memories would be merged" in said
    assert "add --apply" in said
    assert json.loads(run("garden", "--json"))["operation_id"] is None
    done = json.loads(run("garden", "--apply", "--json"))
    assert done["links_dropped"] == {"related_to": 1, "similar_to": 1}
    assert len(done["merged"][0]["parts"]) == 2
    assert "0 faded links dropped" in run("garden", "--apply")


def test_people_read_what_went_and_how_it_comes_back(run, with_meaning):
    said = run("garden", "--apply")
    assert "similar_to" in said
    assert "Ada prefers green tea" in said
    assert "orphan" in said
    operation = said.rsplit("glymph undo ", 1)[1].split()[0]
    assert "undo" in run("undo", operation)
    assert (
        json.loads(run("garden", "--json"))["links_dropped"] == {}
    )  # what was brought back is left alone


def test_without_an_embedder_it_says_that_duplicates_were_not_looked_for(run):
    assert "Duplicates were not looked for" in run("garden")


def test_memetics_says_what_next_in_which_stage_and_with_which_command(run, with_meaning):
    said = run("memetics")
    assert "Next: ready." in said
    assert "Infancy, after 0 recalls: AI prune off." in said
    assert "glymph memory merge" in said
    told = json.loads(run("memetics", "--json"))
    assert (told["memories"], told["stage"], told["policy"]["min_staleness_days"]) == (
        5,
        "infancy",
        30,
    )
    assert {one["task"] for one in told["curation_tasks"]} >= {"duplicates", "orphans", "unlinked"}
