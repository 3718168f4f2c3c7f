"""The state of a space as a whole: the figures, what to do, the stage, and tasks whose calls work."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.decay.stages import Stage
from glymph.recall import counter
from glymph.testing import ScriptedModel
from glymph.testing.embedders import WordEmbedder
from glymph.tools import all_tools
from tests.grounds.pruning import image, remembered
from tests.grounds.reading import put_in_question


@pytest.fixture
def words(url, clock):
    with Glymph.open(
        url, clock=clock, embedder=WordEmbedder(512, ms=0.0), settings={"compare": "off"}
    ) as handle:
        yield handle


def recalled(glymph, times):
    """Lets a space have had so many recalls."""
    with glymph.context.store.writing(glymph.space, None) as writer:
        writer.set_counter(counter.RECALLS, times)


def ring(glymph, ids):
    for at, one in enumerate(ids):
        glymph.link(one, ids[(at + 1) % len(ids)])


def tasks(glymph):
    return {one.task: one for one in glymph.memetic_status().curation_tasks}


def test_an_empty_space_is_ready(glymph):
    found = glymph.memetic_status()
    assert (found.memories, found.communities, found.entropy, found.coherence) == (0, 0, 0.0, 0.0)
    assert (found.suggested_action, found.coherence_by, found.stage) == (
        "ready",
        "none",
        Stage.INFANCY,
    )
    assert found.curation_tasks == ()


def test_memories_without_links_are_as_spread_out_as_can_be(glymph):
    remembered(glymph, 20)
    found = glymph.memetic_status()
    assert (found.communities, found.entropy, found.coherence) == (20, 1.0, 0.0)
    assert found.suggested_action == "curate"


def test_without_vectors_coherence_goes_by_the_density_of_links(glymph):
    ids = remembered(glymph, 20)
    ring(glymph, ids[:10])
    ring(glymph, ids[10:])
    glymph.link(ids[1], ids[0])  # the same pair once more
    found = glymph.memetic_status()
    assert (found.communities, found.entropy, found.coherence_by) == (2, 1.0, "links")
    assert found.coherence == round(10 / 45, 4)


def test_with_vectors_coherence_goes_by_their_closeness(words):
    ids = [
        one.id
        for one in words.add_many(
            [{"text": f"alpha beta gamma {n}", "kind": "fact"} for n in range(20)]
        )
    ]
    ring(words, ids)
    found = words.memetic_status()
    assert (found.communities, found.entropy, found.coherence_by) == (1, 0.0, "vectors")
    assert 0.6 < found.coherence <= 1.0
    assert found.suggested_action == "ready"


def test_looking_changes_nothing(words, clock):
    remembered(words, 25)
    clock.advance(days=40)
    before = list(words.context.store.dump("default"))
    words.memetic_status()
    assert list(words.context.store.dump("default")) == before
    assert image(words)


def test_every_task_counts_and_names_a_call_that_works(words, clock):
    ids = remembered(words, 6, kind="fact")
    ring(words, ids[:4])
    words.add_many(
        [
            {"text": text, "kind": "fact"}
            for text in ("The cellar is damp in spring", "The cellar is damp in spring!")
        ]
    )
    words.add("The gate code is 1234.", kind="fact", pinned=True)
    clock.advance(days=300)
    words.add_many(
        [{"text": f"Event {n} took place at gate {n}", "kind": "event"} for n in range(3)]
    )
    found = tasks(words)
    assert {name: one.count for name, one in found.items()} == {
        "stale groups": 1, "duplicates": 1, "orphans": 4, "episodes to learn from": 3, "unlinked": 8,
    }  # fmt: skip
    for one in found.values():
        tool = all_tools()[one.tool]
        arguments = {**one.arguments}
        if one.tool == "memory_link":
            arguments["target"] = ids[0]
        assert tool.run(words, tool.arguments.model_validate(arguments))
    assert "duplicates" not in tasks(words)


def test_open_questions_are_a_task(glymph):
    older = glymph.add("The gate code is 1234.", kind="fact").id
    put_in_question(glymph, older, glymph.add("The gate code is now 4321.", kind="fact").id)
    one = tasks(glymph)["questions"]
    assert (one.count, one.tool) == (1, "answer_question")


def test_in_a_large_space_duplicates_are_not_counted_while_somebody_waits(words, monkeypatch):
    monkeypatch.setattr("glymph.prune.sameness.COMPARED", 5)
    remembered(words, 6)
    assert tasks(words)["duplicates"].count is None


# stages


def test_recalls_are_counted_beyond_their_log(url, clock):
    with Glymph.open(url, clock=clock, settings={"recall_log_size": 3}) as glymph:
        remembered(glymph, 2)
        for _ in range(7):
            glymph.recall("shelf")
        glymph.search("shelf")
        assert glymph.memetic_status().recalls == 7


def test_a_space_that_was_used_before_recalls_were_counted_has_those_of_its_log(
    glymph, monkeypatch
):
    remembered(glymph, 2)
    with monkeypatch.context() as old:
        old.setattr("glymph.recall.recall.count_recall", lambda writer: None)
        for _ in range(4):
            glymph.recall("shelf")
    assert glymph.memetic_status().recalls == 4
    glymph.recall("shelf")
    assert glymph.memetic_status().recalls == 5


@pytest.mark.parametrize(("recalls", "sessions", "runs"), [
    (0, 4, False), (0, 5, True), (50, 4, False), (50, 5, True), (499, 4, False), (500, 2, False),
    (500, 3, True),
])  # fmt: skip
def test_ai_prune_goes_by_the_stage(url, clock, recalls, sessions, runs):
    from glymph.prune.ai_prune import ai_prune, record_session

    with Glymph.open(url, clock=clock, model=ScriptedModel([{"archive": []}] * 9)) as glymph:
        remembered(glymph, 20)
        clock.advance(days=30)
        recalled(glymph, recalls)
        for _ in range(sessions):
            record_session(glymph.context)
        done = ai_prune(glymph.context, if_needed=True)
        assert done.ran is runs
        if recalls < 50 and sessions < 5:
            assert "recalls" in done.why
            told = {one.job: one.told for one in glymph.autonomous_status().jobs}["ai_prune"]
            assert told.startswith("off: there were fewer than 50 recalls")
            assert ai_prune(glymph.context).ran  # asked for, it runs at any stage


@pytest.mark.parametrize(("recalls", "days"), [(0, 30), (499, 30), (500, 21)])
def test_candidates_are_stale_after_as_many_days_as_the_stage_has(glymph, recalls, days):
    recalled(glymph, recalls)
    assert glymph.candidates().summary["thresholds"]["min_staleness_days"] == days
    assert glymph.candidates(min_staleness_days=7).summary["thresholds"]["min_staleness_days"] == 7
