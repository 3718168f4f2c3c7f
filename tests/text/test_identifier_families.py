"""The families of identifiers that a request proves: digits said aloud, books, phones, plates."""

from __future__ import annotations

import pytest

from glymph.text.identifiers import find_matching, identifiers, perhaps
from glymph.text.identifiers.aloud import find_rows, say_digits
from glymph.text.identifiers.asked import asked_identifiers
from glymph.text.identifiers.books import is_isbn, other_isbn
from glymph.text.identifiers.phones import find_national, read_number


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("four seven one one", ["4711"]), ("4 7 1 1 0 8", ["471108"]), ("double seven oh triple one", ["770111"]),
        ("eins, zwei, drei, vier", ["1234"]), ("三零九零", ["3090"]), ("one of two things", []), ("47 11 08", []),
        ("someone sevens", []), ("4 7 1", []),
    ],
)  # fmt: skip
def test_digits_said_one_by_one_are_read(text, digits):
    assert [row[0] for row in find_rows(text)] == digits


def test_digits_are_said_in_several_languages():
    said = set(say_digits("4711"))
    assert {"four seven one one", "vier sieben eins eins", "four seven double one"} <= said


def test_the_two_numbers_of_a_book_are_one():
    assert other_isbn("9783161484100") == "316148410X"
    assert other_isbn("9790000000001") == ""
    assert is_isbn("316148410X")
    assert not is_isbn("3161484101")
    (old,) = asked_identifiers("ISBN 3-16-148410-X")
    (new,) = asked_identifiers("ISBN 978-3-16-148410-0")
    assert (old.type, old.key) == (new.type, new.key) == ("isbn", "9783161484100")


def test_a_phone_is_taken_apart():
    assert read_number("+447700900418") == ("44", "7700900418", "0")
    assert read_number("00447700900418") == read_number("+447700900418")
    assert read_number("07700900418") == ("", "7700900418", "0")
    assert find_national("07700900418", "44") == "7700900418"
    assert find_national("89161234567", "7") == "9161234567"
    assert find_national("07700900418", "999") == ""


def test_phones_of_two_countries_are_never_one():
    (british,), (german,) = identifiers("+44 7700 900418"), identifiers("+49 7700 900418")
    assert not perhaps(british, german)
    assert find_matching(british, [german]) == ()


@pytest.mark.parametrize(
    ("request_", "kind", "key"),
    [
        ("the number plate KX19 OTB", "plate", "KX19OTB"), ("B-KR 1234", "plate", "BKR1234"),
        ("0x7aF3…D0c9", "short", "7af3...d0c9"), ("the card ending in 8210", "tail", "card...8210"),
        ("patient no. 40 771 88", "code", "4077188"), ("handle curbhopper_aj", "handle", "curbhopper_aj"),
        ("codename Blue Walrus", "name", "blue_walrus"), ("TKT_0100", "code", "TKT-100"), ("user u12", "code", "U-12"),
        ("case 12/2023", "code", "CASE-12-2023"), ("walrus.example/jobs", "url", "walrus.example/jobs"),
    ],
)  # fmt: skip
def test_a_request_proves_what_a_text_does_not(request_, kind, key):
    assert [(each.type, each.key) for each in asked_identifiers(request_)] == [(kind, key)]
