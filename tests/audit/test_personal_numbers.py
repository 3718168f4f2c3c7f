"""National numbers of persons are known by their check digits; numbers like them are not."""

from __future__ import annotations

import pytest

from glymph.audit.personal_numbers import find_personal_numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Mi DNI es 12345678Z.", "12345678Z"),
        ("NIE X-1234567-L, renovado", "X-1234567-L"),
        ("Steuer-ID 86 095 742 719", "86 095 742 719"),
        ("NIR 2 85 07 33 063 017 33", "2 85 07 33 063 017 33"),
        ("CF: RSSMRA85T10A562S", "RSSMRA85T10A562S"),
        ("SSN 123-45-6789 on file", "123-45-6789"),
        ("NI number QQ 12 34 56 C", "QQ 12 34 56 C"),
    ],
)
def test_a_personal_number_is_found_whole(text, number):
    (found,) = find_personal_numbers(text)
    assert text[found.start : found.end] == number


@pytest.mark.parametrize(
    "text",
    [
        "Order 12345678A was sent", "Steuer 86 095 742 718", "2 85 07 33 063 017 42 is wrong",
        "RSSMRA85T10A562T", "000-12-3456", "Ticket NL-2231", "version 12.345.678", "1,150 pounds",
        "Call +44 113 496 0732", "DE44 5001 0517 5407 3249 31",
    ],
)  # fmt: skip
def test_other_numbers_are_not(text):
    assert list(find_personal_numbers(text)) == []
