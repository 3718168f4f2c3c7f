from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.sentences import (
    LESSON,
    NOTES,
    PIECES,
    SPOKEN,
    STATEMENTS,
    TYPED,
    begins_sentence,
    find_starts,
    split_sentences,
    split_with_breaks,
)

RULES = (LESSON, NOTES, PIECES, SPOKEN, STATEMENTS, TYPED)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Dr. Berg lives here. He sings.", ["Dr. Berg lives here.", "He sings."]),
        (
            "It is no. 5 now. She said no. He left.",
            ["It is no. 5 now.", "She said no.", "He left."],
        ),
        ("Cats, dogs, etc. He has many.", ["Cats, dogs, etc.", "He has many."]),
        ("Cats, dogs, etc. are fine.", ["Cats, dogs, etc. are fine."]),
        ("J. Berg came at 5 p.m. today. He left.", ["J. Berg came at 5 p.m. today.", "He left."]),
        ('She said "stop." Then he left.', ['She said "stop."', "Then he left."]),
        ("One line\nanother line", ["One line", "another line"]),
    ],
)
@pytest.mark.parametrize("rule", [NOTES, SPOKEN])
def test_a_full_stop_of_a_word_ends_no_sentence(rule, text, wanted):
    assert split_sentences(text, rule) == wanted


@pytest.mark.parametrize(
    ("rule", "text", "wanted"),
    [
        (NOTES, "Am 3. Mai war es. Gut! 😀 Ja.", ["Am 3. Mai war es.", "Gut!", "😀 Ja."]),
        (SPOKEN, "I passed! :) Nice.", ["I passed! :) Nice."]),
        (SPOKEN, "ab 20. april bis 4. mai. gut", ["ab 20. april bis 4. mai.", "gut"]),
        (SPOKEN, "Ich bin 34. Sie ist 31.", ["Ich bin 34.", "Sie ist 31."]),
        (SPOKEN, "I am 34. My sister is 31. Ok.", ["I am 34.", "My sister is 31.", "Ok."]),
        (NOTES, "我住在柏林。我喜欢茶。", ["我住在柏林。", "我喜欢茶。"]),
        (SPOKEN, "it was… fine? ok", ["it was… fine?", "ok"]),
        (SPOKEN, "he just... left. Sad… Really.", ["he just... left.", "Sad…", "Really."]),
        (TYPED, "wait... what. then it ran", ["wait... what.", "then it ran"]),
        (TYPED, "Allow 5 min. Then go on.", ["Allow 5 min. Then go on."]),
        (NOTES, "Allow 5 min. Then go on.", ["Allow 5 min.", "Then go on."]),
        (STATEMENTS, "Mrs. Lee: tea; milk – no", ["Mrs. Lee:", "tea;", "milk", "no"]),
        (LESSON, "Longs won. shorts lost. Both ended.", ["Longs won. shorts lost.", "Both ended."]),
    ],
)
def test_rules_differ_where_their_texts_do(rule, text, wanted):
    assert split_sentences(text, rule) == wanted


@given(st.text(max_size=200), st.sampled_from(RULES))
def test_sentences_and_breaks_together_are_the_text(text, rule):
    assert "".join(split_with_breaks(text, rule)) == text


def test_a_word_begins_a_sentence_behind_a_mark_or_a_bullet():
    assert begins_sentence("It rains. Tom left", 10)
    assert not begins_sentence("It rains, Tom left", 10)
    assert find_starts("Tea.\n- Milk") == {0, 7}


def test_what_was_said_is_split_before_opening_marks_of_other_languages():
    said = "No entran mariscos. ¿Qué hago? ¡Dime! Gut. „Weiter“, sagte er. Bon. «Oui», dit-il."
    assert split_sentences(said, SPOKEN) == [
        "No entran mariscos.", "¿Qué hago?", "¡Dime!", "Gut.", "„Weiter“, sagte er.", "Bon.",
        "«Oui», dit-il.",
    ]  # fmt: skip
