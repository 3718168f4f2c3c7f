"""A language model as judge of a request: it is asked within the ledger, and has the last word."""

from __future__ import annotations

import json

import pytest

from glymph import Glymph
from glymph.testing import FrozenClock

FACTS = (
    "Vera is our landlady and collects the rent on the first.",
    "My sister-in-law Vera teaches pottery in Leith.",
    "She had her hip replaced in March.",
)
REQUEST = "everything about Vera, the landlady"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "answers"


@pytest.fixture
def glymph(tmp_path, folder):
    url, clock = f"sqlite:///{tmp_path / 'memory.db'}", FrozenClock()
    with Glymph.open(
        url, embedder="none", reader="none", model=f"recorded:{folder}", clock=clock
    ) as opened:
        for fact in FACTS:
            clock.advance(minutes=1)
            opened.add(fact)
        clock.advance(minutes=1)
        opened.settle()
        yield opened


def answer(folder, *told):
    (question,) = map(json.loads, (folder / "questions.jsonl").read_text().splitlines())
    memories = [dict(zip(("id", "meant", "left"), one, strict=True)) for one in told]
    line = {"id": question["id"], "text": json.dumps({"memories": memories})}
    (folder / "answers.jsonl").write_text(json.dumps(line) + "\n")


def test_a_plan_is_made_without_a_model_that_does_not_answer_and_says_so(glymph, folder):
    plan = glymph.forget(REQUEST)
    assert "decided without the model" in plan.why
    assert "decided without the model" in plan.text
    assert {action.by for action in plan.actions} == {"rules"}
    assert (folder / "questions.jsonl").exists()


def test_a_model_that_reads_the_memories_together_decides(glymph, folder):
    glymph.forget(REQUEST)
    answer(folder, ("m1", "all", ""), ("m3", "all", ""))
    plan = glymph.forget(REQUEST)
    assert [action.old for action in plan.removed] == [FACTS[0], FACTS[2]]
    assert {action.by for action in plan.actions} == {"model"}
    assert plan.why == ""
    glymph.forget(plan, apply=True)
    assert [one.text for one in glymph.list().items] == [FACTS[1]]


def test_what_is_left_of_a_memory_is_the_models_word_if_it_adds_nothing(glymph, folder):
    glymph.forget(REQUEST)
    answer(folder, ("m1", "part", "Vera collects the rent on the first."), ("m3", "all", ""))
    (rewritten,) = glymph.forget(REQUEST).rewritten
    assert rewritten.new == "Vera collects the rent on the first."


def test_an_identifier_is_not_shown_to_a_model(glymph, folder):
    glymph.add("Her mail is vera@rooms.example.")
    plan = glymph.forget("vera@rooms.example", mode="purge")
    assert [action.old for action in plan.removed] == ["Her mail is vera@rooms.example."]
    assert not folder.exists()


def test_asking_is_in_the_ledger(glymph, folder):
    glymph.forget(REQUEST)
    answer(folder, ("m1", "all", ""))
    glymph.forget(REQUEST)
    assert {one.name for one in glymph.costs().by_job} == {"forget"}


def test_a_belief_described_in_other_words_is_replaced_by_the_models_word(glymph, folder):
    told = ("who owns the house we rent", "Our landlord is Mr Odell now.")
    first = glymph.supersede(*told)
    answer(folder, ("m1", "all", ""))
    glymph.undo(first.operation_id)
    glymph.supersede(*told)
    assert FACTS[0] not in [one.text for one in glymph.list().items]
