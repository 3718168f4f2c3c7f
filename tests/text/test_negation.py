from __future__ import annotations

import pytest

from glymph.text.negation import DENIALS, IN_A_CLAUSE, IN_A_STRETCH, NEGATIONS, SHORTLY_BEFORE
from glymph.text.words import plain_words


@pytest.mark.parametrize(
    "text",
    [
        "She does not smoke", "He doesn’t smoke", "Er raucht nicht", "Elle ne fume pas",
        "Nunca fuma", "Non fuma mai", "Ela não fuma", "Он не курит", "Hij rookt niet", "他不抽烟",
        "Ella no tiene perro",
    ],
)  # fmt: skip
def test_a_clause_denies_in_any_of_the_languages(text):
    assert IN_A_CLAUSE.search(text)


@pytest.mark.parametrize("text", ["She smokes", "Order no. 5", "Note the knot", "Ana canta"])
def test_a_plain_statement_denies_nothing(text):
    assert not IN_A_CLAUSE.search(text)


def test_a_month_or_a_preposition_is_no_denial_of_the_statement_around():
    assert IN_A_STRETCH.search("Tom is not ")
    assert not IN_A_STRETCH.search("Im Mai ist ")
    assert not IN_A_STRETCH.search("Tom ohne Bart ist ")


def test_only_the_last_words_before_a_place_count():
    assert SHORTLY_BEFORE.search("shorts never really ")
    assert not SHORTLY_BEFORE.search("never mind that; longs in high volatility ")


def test_short_forms_deny_too():
    assert "don't" in DENIALS
    assert NEGATIONS & set(plain_words("I don't"))
