"""Reading the best hits once more: order, absolute scores, least scores, and the budget."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.errors import InvalidInput
from glymph.reader.no_reader import NoReader
from glymph.reader.weights import explain_absence
from glymph.recall.rerank import (
    MOST_PASSAGES,
    Reading,
    count_readable,
    cut_passages,
    find_scores,
    guess_unread,
    score_best,
)
from glymph.tools import all_tools

LACKING = explain_absence()
SHOPPING = [
    "Buy oat milk, eggs and flour",
    "The boiler is serviced every May",
    "Ana is allergic to nuts",
]


class Scripted(NoReader):
    """Scores texts by what a script says; each costs ten milliseconds."""

    name = "scripted"

    def __init__(self, scores):
        self.scores, self.read = scores, []

    def score(self, question, texts):
        self.read += texts
        return [self.scores.get(text, 0.01) for text in texts]

    def estimate_ms(self, question, texts):
        return [10.0] * len(texts)


def opened(path, reader, **settings):
    memory = Glymph.open(
        f"sqlite:///{path}/memory.db", embedder="none", reader=reader,
        settings={"rerank_ms": 150, "compare": "off", "junk_gate": "off", **settings},
    )  # fmt: skip
    for text in ("Berlin is large", "Ada lives in Berlin", "Berlin has a zoo", "Berlin is far"):
        memory.add(text, kind="fact")
    return memory


def test_the_reader_decides_what_comes_first_and_says_how_likely_it_answers(tmp_path):
    with opened(tmp_path, Scripted({"Ada lives in Berlin": 0.97})) as memory:
        hits = memory.search("Who is in Berlin?")
    assert hits[0].memory.text == "Ada lives in Berlin"
    assert hits[0].score > 0.9
    assert hits[0].parts["relevance"] == 0.97
    assert "it seems to answer the query" in hits[0].why
    assert all(hit.score < 0.5 for hit in hits[1:])


def test_a_least_score_makes_nothing_an_answer(tmp_path):
    with opened(tmp_path, Scripted({})) as memory:
        assert memory.search("Berlin", min_score=0.5) == []
        assert len(memory.search("Berlin")) == 4
        assert memory.recall("Berlin").notice.startswith("Nothing here seems to answer that")


def test_the_tool_that_searches_says_when_nothing_seems_to_answer(tmp_path):
    search = all_tools()["memory_search"]
    scores = {"Ada lives in Berlin": 0.97}
    with opened(tmp_path, Scripted(scores)) as memory:
        assert "notice" not in search.run(memory, search.arguments(query="Berlin"))
        scores.clear()
        found = search.run(memory, search.arguments(query="Berlin"))
    assert "Nothing here seems to answer that" in search.brief(found)
    first = next(iter(search.render(found)))
    assert first.text.startswith("Nothing here seems to answer that")


def test_what_answers_needs_no_notice(tmp_path):
    with opened(tmp_path, Scripted({"Ada lives in Berlin": 0.97})) as memory:
        assert memory.recall("Berlin").notice is None


@pytest.mark.parametrize("least", [-0.1, 1.1, "high", True])
def test_a_least_score_lies_between_0_and_1(tmp_path, least):
    with opened(tmp_path, "none") as memory, pytest.raises(InvalidInput, match="min_score"):
        memory.search("Berlin", min_score=least)


def test_only_what_fits_the_budget_is_read_and_the_rest_stays_below(tmp_path):
    reader = Scripted({})
    with opened(tmp_path, reader, rerank_ms=38) as memory:  # four fifths of it for reading
        hits = memory.search("Berlin")
    assert len(reader.read) == 3
    assert "relevance" not in hits[-1].parts
    assert hits[-1].score <= min(hit.score for hit in hits[:-1])


def test_no_budget_reads_nothing_and_keeps_the_order(tmp_path):
    reader = Scripted({"Berlin is far": 0.99})
    with opened(tmp_path, reader, rerank_ms=0) as memory:
        found = [hit.memory.text for hit in memory.search("Berlin")]
    with opened(tmp_path, "none") as memory:
        assert [hit.memory.text for hit in memory.search("Berlin")] == found
    assert reader.read == []


def test_too_small_a_budget_reads_nothing():
    assert count_readable([10, 10, 10, 10], 25) == 0
    assert count_readable([10, 10, 10, 10], 35) == 3
    assert count_readable([10, 10], 35) == 2
    assert score_best(Scripted({}), "q", [], 100) == []
    assert score_best(Scripted({}), "q", [["a"], ["b"], ["c"]], 25) == []
    assert score_best(Scripted({}), "q", [["a"], ["b", "c"], ["d"]], 35) == []
    assert score_best(NoReader(), "q", [["a"], ["b"], ["c"]], 25) == []


def test_a_long_text_is_read_sentence_by_sentence():
    sentences = [
        f"Sentence number {n} says a good deal more than the title does." for n in range(6)
    ]
    assert cut_passages("Short. Two sentences.", "q") == ["Short. Two sentences."]
    assert cut_passages(" ".join(sentences), "q") == sentences
    longer = " ".join(f"Filler number {n} of the whole text." for n in range(30))
    longer += " The harbour opens at six."
    passages = cut_passages(longer, "When does the harbour open?")
    assert len(passages) == MOST_PASSAGES
    assert passages[0] == "Filler number 0 of the whole text."
    assert passages[-1] == "The harbour opens at six."


def test_a_text_answers_as_likely_as_its_likeliest_sentence():
    reader = Scripted({"b": 0.9, "d": 0.2})
    assert score_best(reader, "q", [["a", "b", "c"], ["d"]], 100) == [
        Reading(0.9, "b"),
        Reading(0.2, "d"),
    ]


def test_scores_fall_and_no_likelier_hit_stands_below_a_score():
    assert find_scores([0.4, 0.1, 0.7, 0.2, None], [1, 1, 1, 1, 0.1]) == pytest.approx(
        [0.7, 0.7, 0.7, 0.2, guess_unread(0.1)]
    )
    assert find_scores([0.0, None], [1, 1]) == [0.0, 0.0]
    assert 0 < guess_unread(0.2) < guess_unread(0.9) < 1


def test_the_reader_is_told_whom_a_memory_is_about(tmp_path):
    reader = Scripted({})
    with opened(tmp_path, reader) as memory:
        memory.add("I moved to Berlin", kind="fact", entities=["Ben"])
        memory.add("Cleo is in Berlin too", kind="fact", entities=["Cleo"])
        memory.search("Berlin")
    assert {"Ben: I moved to Berlin", "Cleo is in Berlin too"} < set(reader.read)


def test_the_best_ten_are_read_by_default(tmp_path):
    reader = Scripted({})
    with Glymph.open(f"sqlite:///{tmp_path}/m.db", embedder="none", reader=reader) as memory:
        for number in range(14):
            memory.add(f"Berlin has lake number {number}", kind="fact")
        memory.search("Berlin")
    assert len(reader.read) == 10


@pytest.mark.skipif(bool(LACKING), reason=LACKING or "the reader is installed")
def test_a_shopping_list_does_not_answer_who_wrote_faust(tmp_path):
    with Glymph.open(
        f"sqlite:///{tmp_path}/memory.db", reader="local", settings={"rerank_ms": 5000}
    ) as memory:
        for text in SHOPPING:
            memory.add(text, kind="fact")
        memory.embed()
        assert all(hit.score < 0.3 for hit in memory.search("Who wrote Faust?"))
        assert memory.search("Who wrote Faust?", min_score=0.3) == []
        assert memory.search("What must Ana not eat?")[0].memory.text == SHOPPING[2]
