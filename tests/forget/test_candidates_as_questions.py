"""What a request to forget may mean is a question that somebody can answer later."""

from __future__ import annotations

import pytest

from glymph import Glymph, errors
from glymph.forget.forget import MOST_QUESTIONS
from glymph.jobs.builtin.questions import run
from glymph.jobs.job import Trigger
from glymph.reader.contract import Target
from glymph.reader.no_reader import NoReader

REQUEST = "all of that story"


class DoubtingReader:
    """Holds everything to be meant as likely as not; of all else it knows nothing."""

    name = "doubting"
    relate, score = NoReader.relate, NoReader.score
    grade, sift, estimate_ms = NoReader.grade, NoReader.sift, NoReader.estimate_ms

    def find_targets(self, verb, request, texts, new=None):
        return [Target("all", 0.5, (0.5, 0.5, 0.0)) for _ in texts]


@pytest.fixture
def memory(url, clock):
    settings = {"compare": "off", "junk_gate": "off"}
    with Glymph.open(url, clock=clock, reader=DoubtingReader(), settings=settings) as handle:
        yield handle


def release(memory, request=REQUEST):
    return memory.forget(request, apply=True)


def test_the_likeliest_candidates_of_a_release_become_questions(memory):
    for number in range(MOST_QUESTIONS + 2):
        memory.add(f"The boat of skipper {number} leaked.")
    release(memory)
    asked = memory.questions()
    assert len(asked) == MOST_QUESTIONS
    assert {one.kind for one in asked} == {"forget"}
    assert set(asked[0].choices) == {"forget", "keep_both"}
    assert REQUEST in asked[0].reason
    assert "language model" not in asked[0].may_answer  # it was asked for the plan


def test_to_forget_moves_it_to_the_trash_and_undo_asks_again(memory):
    boat = memory.add("The boat leaked.").id
    release(memory)
    (asked,) = memory.questions()
    done = memory.answer(asked.id, "forget")
    assert memory.get(boat).state == "TRASHED"
    assert memory.questions() == []
    memory.undo(done.operation_id)
    assert memory.get(boat).state == "LIVE"
    assert memory.questions() == [asked]
    memory.answer(asked.id, "keep_both")
    assert (memory.get(boat).state, memory.questions()) == ("LIVE", [])
    assert memory.verify().ok


def test_an_answer_of_another_kind_is_refused_and_says_which_there_are(memory):
    memory.add("The boat leaked.")
    release(memory)
    (asked,) = memory.questions()
    with pytest.raises(errors.InvalidInput, match="forget or keep_both"):
        memory.answer(asked.id, "new_is_current")


def test_a_pinned_memory_stays_whatever_is_answered(memory):
    boat = memory.add("The boat leaked.").id
    release(memory)
    memory.pin(boat)
    with pytest.raises(errors.Pinned):
        memory.answer(memory.questions()[0].id, "forget")


def test_nothing_is_asked_twice_and_undoing_the_request_takes_its_questions_back(memory):
    memory.add("The boat leaked.")
    first = release(memory)
    release(memory, "that other story")
    assert len(memory.questions()) == 1
    memory.undo(first.receipt.operation_id)
    assert memory.questions() == []


def test_a_purge_leaves_its_request_nowhere(memory):
    memory.add("The boat leaked.")
    memory.forget(REQUEST, mode="purge", apply=True)
    assert memory.questions() == []


def test_what_nobody_answers_stays(memory, clock):
    boat = memory.add("The boat leaked.").id
    release(memory)
    clock.advance(days=15)
    assert run(memory.context, Trigger())["kept_both"] == 1
    assert memory.get(boat).state == "LIVE"
