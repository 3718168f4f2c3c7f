"""Folding and transliteration, in more than six scripts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.scripts import (
    across_scripts,
    ascii_digits,
    flat,
    fold,
    look_alike_latin,
    romanise,
    strip_signs,
    transliterate,
    unmix,
)

SAME_WHEN_FOLDED = [
    ("Café", "cafe\u0301"), ("CAFÉ", "cafe"), ("Ｍüller", "MULLER"), ("Straße", "STRASSE"), ("Łódź", "lodz"),
    ("Ångström", "angstrom"), ("smörgåsbord", "SMÖRGÅSBORD"), ("İstanbul", "istanbul"), ("naïve", "naive"),
    ("São Paulo", "sao  paulo"), ("Ελένη", "ΕΛΕΝΗ"), ("Αθήνα", "αθηνα"), ("ЁЛКА", "елка"), ("Иван", "ИВАН"),
    ("well–known", "well-known"), ("well—known", "well-known"), ("“quoted”", '"quoted"'), ("it’s", "it's"),
    ("zero\u200bwidth", "zerowidth"), ("so\u00adft", "soft"), ("a\u00a0b", "a b"), ("pаypal", "paypal"),
    ("Αlice", "alice"), ("Mосква", "москва"), ("ﬁne", "fine"), ("１２３", "123"), ("٣٤٥", "345"), ("१२३", "123"),
    ("محمّد", "محمد"), ("שָׁלוֹם", "שלום"), ("ﾄｳｷｮｳ", "トウキョウ"), ("がっこう", "か\u3099っこう"),
]  # fmt: skip
OTHER_WHEN_FOLDED = [
    ("мой", "мои"), ("か", "が"), ("10²", "102"), ("x₂", "x2"), ("½", "12"), ("сосна", "cocha"), ("Иван", "Ivan"),
    ("का", "की"), ("東京", "京都"), ("👍", "👎"), ("①", "1"),
]  # fmt: skip
IN_LATIN = [
    ("Иван", "Ivan"), ("Αθήνα", "Athina"), ("Ольга", "Olga"), ("Łódź", "Lodz"), ("東京", "DongJing"),
    ("김철수", "GimCheolSu"), ("محمد", "mhmd"), ("とうきょう", "toukiyou"), ("Щукин", "Shchukin"), ("٣٤", "34"),
    ("plain", "plain"), ("👍 ok", "👍 ok"), ("Ганна", "Ganna"), ("Χρήστος", "Christos"),
]  # fmt: skip
ONE_NAME = [
    ("Иван", "Ivan"), ("Дмитрий", "Dmitry"), ("Юлия", "Yulia"), ("Юлия", "Julia"), ("Сергей", "Sergei"),
    ("Αθήνα", "Athina"), ("محمد", "Muhammad"), ("Müller", "Mueller"), ("Ольга", "Olga"), ("Τάσος", "Tasos"),
]  # fmt: skip
OTHER_NAMES = [
    ("Иван", "Ian"), ("Анна", "Hanna"), ("Ольга", "Oleg"), ("Ivan", "Ivan"), ("محمد", "Ahmed"), ("東京", "Tokyo"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SAME_WHEN_FOLDED)
def test_differences_of_writing_are_folded_away(a, b):
    assert fold(a) == fold(b)


@pytest.mark.parametrize(("a", "b"), OTHER_WHEN_FOLDED)
def test_letters_and_numbers_that_differ_stay_different(a, b):
    assert fold(a) != fold(b)


@pytest.mark.parametrize(("text", "latin"), IN_LATIN)
def test_other_scripts_have_a_latin_form(text, latin):
    assert transliterate(text) == latin


@pytest.mark.parametrize(("a", "b"), ONE_NAME)
def test_a_name_in_two_scripts_is_one_name(a, b):
    assert across_scripts(a, b)
    assert across_scripts(b, a)


@pytest.mark.parametrize(("a", "b"), OTHER_NAMES)
def test_other_names_are_not(a, b):
    assert not across_scripts(a, b)


def test_only_words_that_mix_scripts_are_changed():
    assert unmix("Привет Bob, рaypal") == "Привет Bob, paypal"
    assert unmix("сосна") == "сосна"
    assert unmix("kΩ") == "kΩ"
    assert look_alike_latin("ТКТ") == "TKT"
    assert look_alike_latin("ЖУК") == "ЖУК"
    assert ascii_digits("٣x१") == "3x1"


@given(st.text(max_size=60))
def test_folding_never_fails_and_stays(text):
    once = fold(text)
    assert fold(once) == fold(fold(once))
    transliterate(text)
    romanise(text)


@given(st.text(max_size=60))
def test_every_flattened_character_has_its_place(text):
    plain, places = flat(text)
    assert len(plain) == (len(text) if places is None else len(places))
    assert all(0 <= place < len(text) for place in places or ())
    assert list(places or ()) == sorted(places or ())


def test_letters_and_digits_alone_are_those_of_each_character():
    titles = [f"{one[:10]}… {other} No. 12" for one, other in SAME_WHEN_FOLDED]
    for text in (*titles, "PLAIN-text, 12.5 €", "…", ""):
        assert strip_signs(text) == "".join(map(strip_signs, text.lower()))
    assert strip_signs("Größe: 12,5 … cm!") == "große125cm".replace("ß", "ss")
