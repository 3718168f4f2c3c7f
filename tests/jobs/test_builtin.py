"""The built-in jobs by themselves: what each reports, and what it makes of trouble."""

from __future__ import annotations

import json

import pytest

from glymph import Glymph
from glymph.errors import GlymphError, ModelFailed
from glymph.jobs.job import Session, Trigger
from glymph.jobs.project import SHARED, SHARED_TOKENS
from glymph.jobs.registry import all_jobs
from glymph.learn import transcript_file
from glymph.testing.embedders import WordEmbedder
from glymph.testing.scripted_model import ScriptedModel

RUN = {job.name: job.run for job in all_jobs()}


def line(text):
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n"


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(line("We decided to use PostgreSQL for the billing service."))
    return path


def extracted(glymph):
    return [each.text for each in glymph.list().items if each.source == "extraction"]


def test_extract_keeps_what_was_said_and_a_second_run_adds_nothing(glymph, transcript):
    session = Trigger(Session("s1", str(transcript)))
    first = RUN["extract"](glymph.context, session)
    second = RUN["extract"](glymph.context, session)
    assert (first["by"], first["added"], second["added"]) == ("rules", 1, 0)
    assert extracted(glymph) == ["We decided to use PostgreSQL for the billing service."]


@pytest.mark.parametrize("path", [None, "/nowhere/t.jsonl", "/tmp", "/x\0y"])
def test_a_transcript_that_is_not_there_is_passed_over_and_said(glymph, path):
    assert "transcript" in RUN["extract"](glymph.context, Trigger(Session("s1", path)))["skipped"]


def test_a_transcript_that_one_run_cannot_read_is_read_to_its_end(glymph, tmp_path, monkeypatch):
    monkeypatch.setattr(transcript_file, "MOST", 1_000_000)
    path = tmp_path / "large.jsonl"
    noise = (
        json.dumps(
            {"type": "assistant", "message": {"role": "assistant", "content": "x" * 500_000}}
        )
        + "\n"
    )
    with path.open("w") as file:
        for _ in range(6):
            file.write(noise)
        file.write(line("We decided to use PostgreSQL for the billing service."))
    assert path.stat().st_size > 2 * transcript_file.MOST
    assert RUN["extract"](glymph.context, Trigger(Session("s1", str(path))))["added"] == 1


def test_a_model_that_gives_no_answer_fails_the_step_and_the_next_attempt_reads_on(
    url, clock, transcript
):
    away = ModelFailed("scripted", "it is away", "Wait.")
    found = {"text": "The billing service uses PostgreSQL.", "kind": "decision", "turn": 1}
    with Glymph.open(
        url, clock=clock, model=ScriptedModel([away, {"memories": [found]}])
    ) as glymph:
        session = Trigger(Session("s1", str(transcript)))
        with pytest.raises(GlymphError, match="away"):
            RUN["extract"](glymph.context, session)
        assert RUN["extract"](glymph.context, session)["turns"] == 1


def test_without_an_embedder_there_is_nothing_to_embed(glymph):
    assert RUN["embed"](glymph.context, Trigger()) == {"skipped": "no embedder"}


def test_without_an_embedder_link_joins_what_names_the_same(glymph):
    ids = [
        glymph.add("The pump runs at night.", tags=["pump"], session="monday").id,
        glymph.add("The valve was closed.", entities=["valve 7"]).id,
        glymph.add("The pump needs a seal.", tags=["pump"], session="monday").id,
        glymph.add("Valve 7 leaks.", entities=["valve 7"], session="monday").id,
    ]
    assert RUN["link"](glymph.context, Trigger()) == {"linked": 3}
    links = {(one["source"], one["target"], one["type"]) for one in glymph.graph().edges}
    assert links == {
        (ids[2], ids[0], "related_to"),
        (ids[3], ids[1], "same_entity"),
        (ids[3], ids[2], "temporal_adjacent"),
    }
    assert RUN["link"](glymph.context, Trigger()) == {"linked": 0}
    glymph.undo()  # what somebody asked for last: the last memory, with its links
    assert {one["source"] for one in glymph.graph().edges} == {ids[2]}


def test_embed_gives_vectors_to_what_has_none_and_link_joins_what_is_near(url, clock):
    with Glymph.open(url, clock=clock, embedder="none") as glymph:
        for price in (41, 42):
            text = f"Bought one hundred shares of ACME for the long account today at {price}.50"
            glymph.add(text, kind="trade_entry")
    with Glymph.open(url, clock=clock, embedder=WordEmbedder(512)) as glymph:
        assert RUN["embed"](glymph.context, Trigger())["embedded"] >= 2
        assert RUN["embed"](glymph.context, Trigger())["embedded"] == 0
        assert RUN["link"](glymph.context, Trigger())["linked"] == 1
        assert RUN["link"](glymph.context, Trigger())["linked"] == 0


def test_without_a_model_nothing_is_pruned_by_one(glymph):
    assert "no language model" in RUN["ai_prune"](glymph.context, Trigger())["skipped"]


def test_lifecycle_says_why_it_does_nothing(glymph):
    RUN["lifecycle"](glymph.context, Trigger())
    assert "nothing was added" in RUN["lifecycle"](glymph.context, Trigger())["skipped"]


def test_the_digest_is_made_in_the_size_in_which_a_session_asks_for_it(url, clock):
    for space, budget in (("mine", None), (SHARED, SHARED_TOKENS)):
        with Glymph.open(url, clock=clock, space=space) as glymph:
            glymph.add("I prefer short answers.", kind="preference")
            assert RUN["surface"](glymph.context, Trigger())["tokens"] > 0
            with glymph.context.reading() as reader:
                assert reader.surface(budget or glymph.settings.surface_tokens) is not None
