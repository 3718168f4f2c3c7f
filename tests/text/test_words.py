from __future__ import annotations

from glymph.text.words import (
    NAME_WORD,
    RUN,
    UNSPACED,
    UNSPACED_LETTERS,
    UNSPACED_OR_HANGUL,
    any_of,
    drop_stop_words,
    pair_characters,
    plain_words,
    split_signed,
    split_words,
    stem,
)


def test_each_tokeniser_keeps_together_what_it_is_for():
    text = "Don’t mail ann-marie@work.example's 2 boxes_now"
    assert split_words(text)[:2] == ["don't", "mail"]
    assert RUN.findall("Don't") == ["Don", "t"]
    assert NAME_WORD.findall(text)[2] == "ann-marie@work.example's"
    assert plain_words("She isn't Tom's aunt") == ("she", "is", "not", "tom", "aunt")


def test_vowel_signs_belong_to_their_word():
    assert split_signed("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_scripts_without_spaces_are_read_in_pairs_of_characters():
    assert UNSPACED.findall("我住在柏林 now") == ["我住在柏林"]
    assert not UNSPACED.search("서울")
    assert UNSPACED_OR_HANGUL.search("서울")
    assert UNSPACED_LETTERS.findall("東京、2 서울") == ["東京", "서울"]
    assert pair_characters("我住在") == ["我住", "住在"]
    assert pair_characters("我") == ["我"]


def test_stop_words_are_dropped_and_forms_of_one_word_meet():
    assert drop_stop_words(split_words("The cats are in the house")) == {"cats", "house"}
    assert stem("moved") == stem("moves") == stem("moving")


def test_longer_words_come_first_in_a_pattern():
    assert any_of(["no", "nothing", "c++"]) == r"nothing|c\+\+|no"
