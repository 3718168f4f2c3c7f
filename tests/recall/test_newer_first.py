"""Which of two answers to one question stands first: the newer, where it may update the older."""

from __future__ import annotations

from datetime import timedelta

import pytest

from glymph import Glymph
from glymph.reader.contract import Judgement
from glymph.reader.no_reader import NoReader
from glymph.recall.newer_first import Answer, compare_answers
from glymph.recall.rerank import WHOLE

NONE, UPDATE = (
    Judgement("none", 0.9, (0.9, 0, 0.1, 0)),
    Judgement("replaces", 0.9, (0.1, 0, 0.9, 0)),
)


class Scripted(NoReader):
    """Knows which sentence updates which, and how likely a passage answers."""

    name = "scripted"

    def __init__(self, updates=(), scores=None):
        self.updates, self.scores, self.asked = set(updates), scores or {}, []

    def relate(self, newer, older):
        self.asked += [(newer, one) for one in older]
        return [UPDATE if (newer, one) in self.updates else NONE for one in older]

    def score(self, question, texts):
        return [self.scores.get(text, 0.01) for text in texts]


LONG = WHOLE + 1


def answer(
    key, likely, *, said=0, space="s", section="KNOWLEDGE", trust=1.0, happened=None, chars=LONG
):
    row = {"section": section, "trust": trust, "created_at": said, "event_at": happened}
    row["text"] = "a" * chars
    return Answer((space, key), row, likely, f"passage {key}")


def compare(*answers, updates=()):
    return compare_answers(Scripted(updates), answers)


PAIR = [("passage 2", "passage 1")]


def test_of_two_answers_the_newer_comes_first_if_it_says_anew_what_the_older_said():
    both = answer(1, 0.7, said=1), answer(2, 0.2, said=2)
    assert compare(*both) == {}
    assert compare(*both, updates=PAIR) == {("s", 1): [("s", 2)]}


def test_what_does_not_answer_is_not_compared():
    reader = Scripted(PAIR)
    assert compare_answers(reader, [answer(1, 0.7, said=1), answer(2, 0.05, said=2)]) == {}
    assert reader.asked == []


@pytest.mark.parametrize(
    "older",
    [
        answer(1, 0.7, said=1, space="another"),
        answer(1, 0.7, said=1, section="EPISODIC"),
        answer(1, 0.7, said=2),
    ],
    ids=["of another space", "what happened once", "of the same moment"],
)
def test_some_are_never_out_of_date(older):
    assert compare(older, answer(2, 0.7, said=2), updates=PAIR) == {}


@pytest.mark.parametrize("chars", [(WHOLE, WHOLE), (WHOLE, LONG), (LONG, WHOLE)])
def test_two_short_ones_were_judged_when_they_were_added(chars):
    both = answer(1, 0.7, said=1, chars=chars[0]), answer(2, 0.7, said=2, chars=chars[1])
    assert bool(compare(*both, updates=PAIR)) is (LONG in chars)


def test_what_happened_later_is_newer_whenever_it_was_told():
    first = answer(1, 0.7, said=1, happened=9)
    second = answer(2, 0.7, said=2)
    assert compare(first, second, updates=PAIR) == {}
    assert compare(first, second, updates=[("passage 1", "passage 2")]) == {("s", 2): [("s", 1)]}


def test_what_is_hardly_trusted_does_not_stand_above_what_is():
    both = answer(1, 0.7, said=1), answer(2, 0.7, said=2, trust=0.2)
    assert compare(*both, updates=PAIR) == {}


def test_long_memories_are_compared_by_what_in_them_answers(tmp_path, clock):
    filler = " ".join(f"Remark number {n} is about the garden and the weather." for n in range(8))
    old, new = "The parcel weighs four kilos.", "After repacking the parcel it is down to three."
    reader = Scripted([(new, old)], {old: 0.7, new: 0.3})
    with Glymph.open(
        f"sqlite:///{tmp_path}/m.db", embedder="none", reader=reader, clock=clock,
        settings={"compare": "off"},
    ) as memory:  # fmt: skip
        first = memory.add(f"{filler} {old}", kind="fact").id
        clock.now += timedelta(days=3)
        second = memory.add(f"{new} {filler}", kind="fact").id
        hits = memory.search("What does the parcel weigh?")
    assert [hit.memory.id for hit in hits] == [second, first]
    assert hits[1].maybe_outdated_by == (second,)
    assert "it updates" in hits[0].why
