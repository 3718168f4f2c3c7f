"""Information: what a text tells, and what only makes it long."""

from __future__ import annotations

import numpy as np
import pytest

from glymph.text.information import (
    PARTS,
    RAREST,
    Weights,
    measure_parts,
    prose,
    score_texts,
    weigh_parts,
)
from glymph.text.words import split_words

PLAIN = "The meeting room has a table and some chairs near the window."
FILLING = [f"We talked about the weather and number {n} on the list of things." for n in range(20)]


def parts(text, beside=FILLING):
    return dict(zip(PARTS, measure_parts([text, *beside])[0], strict=True))


def score(text):
    return float(score_texts([text, *FILLING])[0])


def test_rare_words_tell_more_than_common_ones():
    assert score("Quinoa porridge from Cusco beats sourdough.") > score(
        "We talked about the list of things."
    )


def test_only_the_rarest_words_count_so_that_length_alone_does_not_win():
    short = " ".join(f"word{n}" for n in range(RAREST))
    long = " ".join(f"word{n}" for n in range(10 * RAREST))
    assert parts(long)["rare"] == pytest.approx(parts(short)["rare"])


@pytest.mark.parametrize(
    "text",
    [
        "The review is on Tuesday, 4 March.", "Rent is due on May 12 and June 12.", "It ended a year ago in 2019.",
        "Last summer and next week count as well.",
    ],
)  # fmt: skip
def test_days_and_dates_are_noticed(text):
    assert parts(text)["days"] == 1


def test_the_verb_may_and_plain_numbers_are_no_days():
    assert parts("You may take 2100 steps, or 42.")["days"] == 0
    assert parts("It is due on May 3.")["days"] == 0.5


@pytest.mark.parametrize(
    "text",
    [
        "I moved to Oslo.",
        "I've finished the draft.",
        "We recently bought a canoe.",
        "I just met Ines.",
    ],
)
def test_what_the_writer_did_or_has_is_noticed(text):
    assert parts(text)["own"] == 0.5


def test_trying_and_asking_are_no_statements_about_oneself():
    assert parts("Can I see it? I am trying to find out how we could do that.")["own"] == 0


def test_standing_rules_and_preferences_are_noticed():
    assert parts("Always answer in metric units.")["rule"] == 1
    assert parts("I'd prefer the aisle seat.")["rule"] == 1
    assert parts(PLAIN)["rule"] == 0


def test_a_mere_reply_tells_less_than_the_same_words_without_it():
    assert parts("Thanks! Sounds good.")["reply"] == 1
    assert score("Okay, the boiler leaks.") < score("The boiler leaks, okay.")
    assert parts("Could you tell me what you think of your plan?")["address"] > 1


def test_pasted_code_is_set_aside():
    text = "I use port 8080 for it:\n```python\nserver.listen(8080)\n```\nconst x = {\nThat is all of it"
    assert prose(text).split("\n") == ["I use port 8080 for it:", "That is all of it"]
    assert parts(text)["pasted"] == pytest.approx(1 - len(prose(text)) / len(text))
    assert prose("```\nnever closed") == ""
    assert parts(PLAIN)["pasted"] == 0


def test_figures_of_the_whole_space_may_be_given_for_a_few_texts():
    everything = [PLAIN, *FILLING]
    counts = {}
    for text in everything:
        for word in set(split_words(text)):
            counts[word] = counts.get(word, 0) + 1
    few = score_texts([PLAIN], frequency=lambda word: counts.get(word, 0), total=len(everything))
    assert few == pytest.approx(score_texts(everything)[:1])


def test_words_the_space_does_not_know_yet_are_as_rare_as_can_be():
    found = measure_parts(["zyx"], frequency=lambda word: 0, total=100)
    assert found[0, 0] == pytest.approx(np.log1p(np.log(100)))
    assert measure_parts(["zyx"], frequency=lambda word: 7, total=3)[0, 0] == 0, (
        "the space has shrunk since"
    )


def test_scores_are_between_0_and_1_for_any_text():
    odd = ["", " ", "\n\n", "?!", "```", "日本語のテキスト", "ok", "I " * 500, "’’"]
    assert ((score_texts(odd) >= 0) & (score_texts(odd) <= 1)).all()
    assert score_texts([]).shape == (0,)


def test_where_no_list_says_anything_a_reader_is_heard():
    texts = ["Guten Morgen zusammen, schönes Wetter!", "Mutter verträgt Penicillin schlecht."]
    among = [*texts, *FILLING]
    unread = [np.nan] * len(FILLING)
    greeting, mother = score_texts(among)[:2]
    heard = score_texts(among, lasting=[0.02, 0.98, *unread])
    assert heard[0] < greeting < heard[1]
    assert mother < heard[1]
    assert (heard[2:] == score_texts(among)[2:]).all(), "it has not read these"


def test_where_the_lists_say_something_they_decide():
    rule = "I always prefer the window seat."
    assert score_texts([rule, *FILLING], lasting=0.01)[0] == score_texts([rule, *FILLING])[0]


def test_a_reader_that_is_quite_sure_outdoes_nothing_for_ever():
    told = score_texts(["Ζει στην Πάτρα", "Καλημέρα σας"], lasting=[1.0, 0.0])
    assert np.isfinite(told).all()
    assert ((told > 0) & (told < 1)).all()


def test_weights_are_the_callers_to_choose():
    found = measure_parts([PLAIN, *FILLING])
    nothing = Weights(*[0.0] * len(PARTS))
    assert len(set(weigh_parts(found, nothing).tolist())) == 1
