"""Meaning on the command line: `embed`, and what `status` and `doctor` tell of the embedder."""

from __future__ import annotations

import json
import logging

import pytest

from glymph import Glymph
from glymph.embed import embedding
from glymph.testing.embedders import WordEmbedder
from tests.grounds.commands import run_main

LACKING = "No local embedding model here. Run `pip install 'glymph[local]'`."


@pytest.fixture
def cli(url, monkeypatch, capsys):
    """Runs a command in this process; gives its exit status and what it said on both channels."""
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "300")
    monkeypatch.delenv("GLYMPH_EMBEDDER")

    def run(*args):
        said = run_main(monkeypatch, capsys, *args)
        return said.code, said.out + said.err

    return run


@pytest.fixture
def lacking(monkeypatch):
    """A machine without the local model."""
    monkeypatch.setattr("glymph.embed.embedding.absence", lambda: LACKING)


@pytest.fixture
def model(monkeypatch):
    """A machine whose local model is one for tests."""
    words = WordEmbedder(dimension=32)
    monkeypatch.setattr(
        "glymph.embed.embedding.open_embedder", lambda spec, **_: None if spec == "none" else words
    )
    return words


@pytest.fixture
def left_waiting(url):
    """Three live memories and an archived one, added without a model."""
    with Glymph.open(url, embedder="none") as glymph:
        *_, last = glymph.add_many(
            ["Tea is at four.", "The heron nests by the mill.", "Ilse counts.", "Old."]
        )
        glymph.archive(last.id)


def test_embed_gives_vectors_to_what_waits_and_says_how_many(cli, model, left_waiting):
    assert "3 memories wait for a vector: `glymph sleep embed`" in cli("doctor")[1]
    code, said = cli("embed")
    assert code == 0
    assert "Gave 4 memories a vector of words, 32 numbers per text" in said
    assert "per second" in said
    assert "Every memory has its vector." in cli("status")[1]


def test_embed_tells_machines_the_same(cli, model, left_waiting):
    code, said = cli("embed", "--json")
    told = json.loads(said)
    assert (code, told["embedder"], told["dimension"], told["embedded"]) == (0, "words", 32, 4)
    assert (told["waiting"], told["removed"]) == (0, 0)
    assert json.loads(cli("status", "--json")[1])["meaning"]["waiting"] == 0


def test_embed_with_nothing_to_do_says_so_and_is_fine(cli, model):
    cli("init")
    code, said = cli("embed")
    assert (code, "Nothing to do: every memory has its vector" in said) == (0, True)


def test_vectors_of_another_model_are_named_and_tidied_away(cli, url, model, left_waiting):
    with Glymph.open(url, embedder=WordEmbedder(name="older")) as glymph:
        glymph.embed()
    assert (
        "Vectors of other models, never compared: older (4). `glymph sleep embed --tidy`"
        in cli("doctor")[1]
    )
    cli("embed")
    assert "older (4)" in cli("doctor")[1]
    assert "Removed 4 vectors of other models." in cli("embed", "--tidy")[1]
    assert "older" not in cli("doctor")[1]


def test_without_a_model_embed_refuses_and_says_how_to_get_one(cli, url, lacking, left_waiting):
    with Glymph.open(url, embedder=WordEmbedder(name="older")) as glymph:
        glymph.embed()
    for command in (("embed",), ("embed", "--tidy")):
        code, said = cli(*command)
        assert (code, "pip install 'glymph[local]'" in said) == (1, True)
    with Glymph.open(url, embedder="none") as glymph:
        assert glymph.meaning().others == (("older", 4),)


def test_status_and_doctor_say_why_there_is_no_model(cli, lacking):
    cli("init")
    for command in ("status", "doctor"):
        assert f"Recall goes by text only. {LACKING}" in cli(command)[1]
    assert json.loads(cli("status", "--json")[1])["meaning"]["absence"] == LACKING


def test_a_model_that_was_switched_off_is_not_called_lacking(cli, lacking, monkeypatch):
    monkeypatch.setenv("GLYMPH_EMBEDDER", "none")
    cli("init")
    assert "the setting embedder is none" in cli("doctor")[1]
    assert cli("embed")[0] == 1


def test_a_service_that_does_not_answer_is_told_not_raised(cli, monkeypatch, left_waiting):
    class Unreachable(WordEmbedder):
        def embed(self, texts):
            raise embedding.EmbedderFailed(self.name, "nobody answers", "Check the network.")

        @property
        def dimension(self):
            return len(self.embed(["?"]))

        @dimension.setter
        def dimension(self, value):
            pass

    monkeypatch.setattr("glymph.embed.embedding.open_embedder", lambda *_, **__: Unreachable())
    code, said = cli("doctor")
    assert (code, "nobody answers. Check the network." in said) == (0, True)
    code, said = cli("embed")
    assert (code, "nobody answers" in said) == (1, True)


def test_doctor_says_once_what_holds_for_every_space(cli, model, url):
    for space in ("default", "work"):
        Glymph.open(url, space=space, embedder="none").close()
    with Glymph.open(url, space="work", embedder="none") as glymph:
        glymph.add("Tea is at four.")
    said = cli("doctor")[1]
    assert said.count("words, 32 numbers per text") == 1
    assert "work: 1 memory waits for a vector: `glymph sleep embed --space work`" in said
    assert "default: Every memory has its vector." in said


def test_a_program_is_told_once_that_there_is_no_model(url, lacking, caplog):
    embedding._say_once.cache_clear()
    with caplog.at_level(logging.INFO, logger="glymph"):
        for _ in range(3):
            Glymph.open(url).close()
        Glymph.open(url, embedder="none").close()
    assert [record.getMessage() for record in caplog.records] == [
        f"{LACKING} Until then recall goes by text only."
    ]
