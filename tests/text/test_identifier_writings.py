"""One identifier in the writings of programs: escaped addresses, MAC addresses, plates in groups."""

from __future__ import annotations

import pytest

from glymph.text.identifiers import find_matching, identifiers, perhaps, spellings
from glymph.text.identifiers.aloud import say_digits
from glymph.text.identifiers.asked import asked_identifiers
from glymph.text.identifiers.escapes import unescape

ADDRESS = ("mail", "name@host.example")


def read(text):
    return [(one.type, one.key) for one in identifiers(text)]


@pytest.mark.parametrize(
    "written",
    [
        "name%40host.example", "name%2540host.example", "Name%40Host%2Eexample", "name&#64;host.example",
        "name&#064;host.example", "name&#x40;host.example", "name&commat;host.example", "name\\u0040host.example",
        "name&commat;host&period;example",
    ],
)  # fmt: skip
def test_an_escaped_address_is_the_address(written):
    for text in (written, f"Write to {written}.", f"<{written}>", f"mailto:{written}?subject=Hi"):
        (found,) = identifiers(text)
        assert ((found.type, found.key), found.text) == (ADDRESS, written)


@pytest.mark.parametrize(
    "text", ["50%40 off", "see 40%40 of it", "host%2Eexample", "a &commat; b", "x%40y"]
)
def test_an_escaped_sign_alone_is_no_address(text):
    assert "mail" not in [one.type for one in identifiers(text)]


def test_places_of_escaped_signs_are_known():
    plain, places = unescape("a%40b&#46;c")
    assert (plain, [*places]) == ("a@b.c", [0, 1, 4, 5, 10, 11])


@pytest.mark.parametrize(
    "page",
    ["?mail=name@host.example&b=1", "?mail=name%40host.example", "/u/name@host.example", "#to=name%40host.example"],
)  # fmt: skip
def test_a_web_address_may_be_the_mail_address_in_it(page):
    (mail,) = identifiers("name@host.example")
    (web,) = identifiers(f"See https://x.example/unsub{page} there")
    assert web.type == "url"
    assert ADDRESS in web.readings
    assert find_matching(mail, [web]) == (web,)
    assert not perhaps(web, mail)  # who asks for a page means the page


def test_who_logs_in_on_a_host_is_no_mail_address():
    assert [one.others for one in identifiers("https://name@host.example/x")] == [()]


@pytest.mark.parametrize(
    "text",
    [
        "The MAC is aabbccddeeff", "MAC address: AABBCCDDEEFF", "the hardware address of the printer is aabbccddeeff",
        "MAC-Adresse aabbccddeeff", "adresse MAC : aabbccddeeff", "BSSID=aabbccddeeff", "aa:bb:cc:dd:ee:ff is new",
    ],
)  # fmt: skip
def test_a_mac_address_needs_no_separators_where_a_word_names_it(text):
    assert read(text) == [("mac", "aa:bb:cc:dd:ee:ff")]


@pytest.mark.parametrize(
    "text", ["commit a1b2c3d4e5f6", "Macbook aabbccddeeff", "call 001122334455"]
)
def test_other_twelve_characters_are_no_mac_address(text):
    assert "mac" not in [one.type for one in identifiers(text)]


def test_twelve_characters_of_a_request_may_be_a_mac_address():
    for asked in ("aabbccddeeff", "3c22fb1a9d07"):
        (found,) = asked_identifiers(asked)
        assert found.type == "code"
        assert "mac" in [kind for kind, _ in found.others]


@pytest.mark.parametrize(
    ("request_", "key"),
    [
        ("34 KRB 719", "34KRB719"), ("forget the car 34 KRB 719 of Murat", "34KRB719"), ("06 A 1234", "06A1234"),
        ("Murat's 81 AB 123", "81AB123"), ("34 KRB-719", "34KRB719"), ("plate 34 krb 719", "34KRB719"),
        ("34 MAY 719", "34MAY719"),
    ],
)  # fmt: skip
def test_a_turkish_plate_is_read_whole(request_, key):
    assert [(one.type, one.key) for one in asked_identifiers(request_)] == [("plate", key)]


@pytest.mark.parametrize(
    "request_",
    [
        "12 MAY 2026", "what happened on 12 MAY 2026", "31 DEC 2025", "05 OKT 24", "12 MAI 2026", "12 MAY 1430",
        "10 USD 250", "16 GB 512", "notes 10 AND 14", "82 AB 123", "00 AB 123", "12 AB 34 56",
    ],
)  # fmt: skip
def test_dates_and_amounts_are_no_plates(request_):
    assert "plate" not in [one.type for one in asked_identifiers(request_)]


SAID_OR_WRITTEN = (
    "QX-s0c1-000123", "INV-2024-0007", "4711 0815 42", "A11-BB-22", "978-3-16-148410-0",
    "DE89 3704 0044 0532 0130 00", "kd-556-6771", "XR77-QTWO",
)  # fmt: skip


@pytest.mark.parametrize("code", SAID_OR_WRITTEN)
def test_where_nothing_is_said_aloud_the_short_pattern_finds_what_the_long_one_does(
    code, monkeypatch
):
    """Only texts with a word for a digit, a letter or a dash need all the ways to say a code."""
    around = ("", "The dashboard of one", "tres of", "Es sind zwei", "Oscar said:", "a double")
    forms = [code, code.lower(), code.replace("-", " "), code.replace(" ", "."), f"{code}9"]
    forms += ["".join(one for one in code if one.isalnum())]
    forms += [form for one in (*asked_identifiers(code),) for form in say_digits(digits_of(one))]
    texts = [f"{said} {form} is kept." for said in around for form in forms]
    short = {text: spelt(code, text) for text in texts}
    monkeypatch.setattr(spellings, "may_be_said", lambda characters, text: True)
    assert {text: spelt(code, text) for text in texts} == short
    assert any(short.values())


def spelt(code, text):
    known = identifiers(text)
    wanted = asked_identifiers(code)
    return [list(spellings.find_spellings(one, text, known)) for one in wanted]


def digits_of(one):
    return "".join(each for each in one.key if each.isdecimal())
