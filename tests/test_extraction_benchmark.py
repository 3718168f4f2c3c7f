"""The benchmark of extraction counts what a statement tells, in whatever words."""

from __future__ import annotations

from benchmarks.harness.transcripts import Score, find_sources

FIRST, SECOND = "viel Giersch.", "ein uralter Boskoop, zwei Johannisbeeren."
CASE = {
    "id": "t1",
    "turns": [{"role": "user", "text": f"{SECOND} {FIRST}"}],
    "marks": [[[[1, SECOND]]], [[[1, SECOND]]], []],
    "secrets": [],
    "orders": [],
}


def test_a_statement_that_takes_one_sentence_word_for_word_may_retell_another():
    told = "Im Garten stehen ein alter Boskoop, Johannisbeeren und viel Giersch."
    assert find_sources(CASE, 1, told) == {(1, FIRST), (1, SECOND)}


def test_a_sentence_taken_word_for_word_says_nothing_of_another():
    assert find_sources(CASE, 1, FIRST) == {(1, FIRST)}
    assert find_sources(CASE, 1, "Dort wächst viel Giersch.") == {(1, FIRST)}


def test_a_statement_in_quite_other_words_retells_the_one_marked_sentence_of_its_turn():
    assert find_sources(CASE, 1, "Dort steht altes Obst.") == {(1, SECOND)}


def test_a_statement_counts_as_worth_it_by_what_it_retells():
    score = Score()
    score.count(CASE, [(1, "Ein Boskoop, Johannisbeeren und viel Giersch."), (1, FIRST)])
    assert (score.recall, score.precision) == (100, 50)
