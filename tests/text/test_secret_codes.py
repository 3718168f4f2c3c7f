"""Short codes that open something are masked; other numbers beside the same words stay."""

import pytest

from glymph.text.secret_codes import mask_codes
from glymph.text.secrets import SECRET


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("The side gate takes {}, mind the dog.", "4471"),
        ("Code ist {}, das sage ich ihr noch", "4718"),
        ("It wants my identity pin, the six digit one, here it is: {}.", "730 914"),
        ("key box on the drainpipe, {}", "3-9-0-6"),
        ("Le portail du jardin, tu tapes {}", "1472"),
        ("para quitar la alarma tienes que marcar {} antes de que pite", "81946"),
        ("bike lock. four digits. {}. there", "0815"),
        ("The padlock is {}", "seven oh four four"),
        ("The door code is {}", "Four Four Seven One"),
        ("The door code is {}.", "double four seven one"),
        ("door code:{}", "4471"),
        ("The door code is {}.", "5582#91"),
        ("My phone number, then the door code: {}", "4471"),
        ("the combination is {}", "12-34-56-78"),
    ],
)
def test_what_opens_something_is_masked(said, code):
    assert mask_codes(said.format(code)) == (said.format(SECRET), 1)


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ("There is a key safe by the door. Has its code changed?", "Yes. The nurses did, now {}."),
        ("An der Tür ist ein Schlüsseltresor. Stimmt der Code noch?", "Nein, jetzt {}"),
        ("And the padlock?", "{}"),
    ],
)
def test_an_answer_to_who_asks_for_a_code_is_masked(heard, said):
    assert mask_codes(said.format("4917"), heard) == (said.format(SECRET), 1)


@pytest.mark.parametrize(
    "said", ["We moved in in 1998.", "My extension is 4917.", "There are about 4917 of them here."]
)
def test_other_numbers_of_an_answer_stay(said):
    assert mask_codes(said, "There is a key safe by the door.") == (said, 0)


@pytest.mark.parametrize(
    "text",
    [
        "The build ends with exit code 4471.",
        "Connect pin 4 and set the bus to 115200 baud.",
        "Her phone number is 0161 555 0173.",
        "My desk phone extension is 2208.",
        "The alarm is 0630 on weekdays.",
        "The garage charged 1200 euros for the door.",
        "Our postal code is 90210.",
        "The gate was painted in 1998.",
        "On my laptop the dev server port is 8080.",
        "The office printer's port is 9100.",
        "The code works with 4096 tokens per batch.",
        "The lock timeout is 5000 for now.",
        "The code is 5432 by default for Postgres.",
        "Our office rent is 2450 a month.",
        "We need thread-safe code for 2000 connections.",
        "This combination of flags gave 1432 failures.",
        "We use Intercom since 2021.",
        "The intercom service listens on port 8443.",
        "The security code review took until 2023 and found 118 issues.",
        "The building code of 2018 applies.",
        "The alarm code was last changed in 2019.",
        "My config has to pin numpy because 1026 breaks it.",
    ],
)
def test_another_number_stays(text):
    assert mask_codes(text) == (text, 0)


def test_masking_twice_is_masking_once():
    once, _ = mask_codes("The gate code is 4471 and the padlock 9020.")
    assert mask_codes(once) == (once, 0)
