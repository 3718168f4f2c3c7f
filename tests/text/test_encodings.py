"""What a text says in encodings, read; and what is none of them."""

from __future__ import annotations

import base64
import codecs
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.text.encodings import read_encoded

SAID = "jane.doe@kestrel-labs.example"


def in_hex(gap):
    return lambda said: said.encode().hex(gap) if gap else said.encode().hex()


WAYS = {
    "base64": lambda said: base64.b64encode(said.encode()).decode(),
    "base64 without its end": lambda said: base64.b64encode(said.encode()).decode().rstrip("="),
    "base64 for addresses": lambda said: base64.urlsafe_b64encode(said.encode()).decode(),
    "base64 of two bytes a sign": lambda said: base64.b64encode(said.encode("utf-16le")).decode(),
    "base32": lambda said: base64.b32encode(said.encode()).decode(),
    "hex": in_hex(""),
    "large hex": lambda said: said.encode().hex().upper(),
    "hex with blanks": in_hex(" "),
    "hex with colons": in_hex(":"),
    "hex with a prefix": lambda said: "0x" + said.encode().hex(),
    "hex with many": lambda said: ", ".join(f"0x{byte:02x}" for byte in said.encode()),
    "quoted printable": lambda said: "".join(f"={byte:02X}" for byte in said.encode()),
    "percent": lambda said: "".join(f"%{byte:02X}" for byte in said.encode()),
    "percent where it must be": lambda said: quote(said, safe=""),
    "percent twice": lambda said: quote("".join(f"%{byte:02X}" for byte in said.encode())),
    "entities": lambda said: "".join(f"&#{ord(one)};" for one in said),
    "entities in hex": lambda said: "".join(f"&#x{ord(one):X};" for one in said),
    "entities by name": lambda said: said.replace("@", "&commat;").replace(".", "&period;"),
    "escapes": lambda said: "".join(f"\\x{byte:02x}" for byte in said.encode()),
    "escapes for JSON": lambda said: "".join(f"\\u{ord(one):04x}" for one in said),
    "sign by sign": " ".join,
    "sign by sign, wide": "   ".join,
    "sign by sign, a line each": "\n".join,
    "sign by sign, with dots": "·".join,
    "sign by sign, with lines": "_".join,
}


@pytest.mark.parametrize("around", ["{}", "The address is {} or so.", "note={}", "({})"])
@pytest.mark.parametrize("way", WAYS)
def test_what_is_encoded_is_read(way, around):
    assert any(SAID in said for said in read_encoded(around.format(WAYS[way](SAID))))


@pytest.mark.parametrize("way", ["base64", "base32", "hex", "percent", "entities"])
def test_what_is_encoded_twice_is_read(way):
    assert any(SAID in said for said in read_encoded(WAYS[way](WAYS["base64"](SAID))))


def test_ordinary_texts_say_nothing_else():
    for text in (
        "Remember that the contact of Jane is in Porto until 2026.",
        "100 % of 42 & 43 are 5 550 109 934, said A/B and I_am_here.",
        "def make_text(chance, length): return chance.choice(NOUNS)",
        "Die Strassenbahngesellschaft fährt um 12:30 Uhr.",
    ):
        assert read_encoded(text) == []


@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    assert text not in read_encoded(text)


@pytest.mark.parametrize("unit", ["%25", "&amp;", "QUJD", "41 ", "a ", "\\x41", "_a", "../", "=="])
def test_what_is_read_is_no_longer_than_the_text(unit):
    text = unit * 3_000
    assert sum(map(len, read_encoded(text))) <= 4 * len(text)


def test_letters_in_a_fixed_turn_are_not_read():
    assert read_encoded(codecs.encode("jane at kestrel labs", "rot13")) == []
