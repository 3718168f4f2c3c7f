"""Which symbol an episode is about."""

from __future__ import annotations

import json

import pytest

from glymph.text.attributes import open_body
from glymph.text.tickers import CRYPTO, Vocabulary, find_symbol, symbol


@pytest.mark.parametrize(
    ("title", "body", "expected"),
    [
        ("BTC short at $68K", "", "BTC"),
        ("Market event", "ETH funding spike", "ETH"),
        ("Trade close", json.dumps({"text": "Trade closed", "signals": {"symbol": "SOL"}}), "SOL"),
        ("Trade", json.dumps({"text": "Entry", "signals": {"coin": "eth"}}), "ETH"),
        ("Trade", json.dumps({"text": "Closed the DOGE long"}), "DOGE"),
        ("General market thoughts", "Nothing specific", None),
        ("BTC analysis", "ETH is also interesting", "BTC"),
        ("btc short squeeze", "", "BTC"),
        ("ABTCX token analysis", "", None),
        ("BTC_2 notes", "", None),
        ("", "", None),
        ("BTC trade", "{invalid json", "BTC"),
        ("Trade", json.dumps(["BTC"]), "BTC"),
        ("BTCUSDT broke out", "", "BTC"),
        ("BTC-PERP broke out", "", "BTC"),
    ],
)
def test_the_symbol_stands_in_the_title_then_in_the_body(title, body, expected):
    assert symbol(title, body) == expected


@pytest.mark.parametrize("word", ["op", "link", "apt", "sui", "near", "one", "Link", "Near"])
def test_a_ticker_that_is_an_ordinary_word_counts_only_in_upper_case(word):
    assert symbol(f"I read the {word} again") is None
    assert symbol(f"I shorted {word.upper()} again") == word.upper()


def test_an_ordinary_word_does_not_hide_the_symbol_behind_it():
    assert symbol("a link to the eth chart") == "ETH"


def test_attributes_come_first_and_symbol_before_coin():
    assert symbol("BTC short", "", {"symbol": "eth", "coin": "SOL"}) == "ETH"
    assert symbol("BTC short", "", {"coin": "sol"}) == "SOL"
    assert symbol("BTC short", "", {"signals": {"symbol": "sol"}}) == "SOL"
    assert symbol("BTC short", "", {"symbol": "", "coin": 7}) == "BTC"
    assert (
        symbol("BTC short", json.dumps({"signals": {"symbol": "SOL"}}), {"symbol": "ETH"}) == "ETH"
    )


def test_an_attribute_may_name_what_no_vocabulary_knows_and_a_pair_is_its_first_part():
    assert symbol("Trade", "", {"symbol": "xyz"}) == "XYZ"
    assert symbol("Trade", "", {"symbol": "BTC/USDT"}) == "BTC"
    assert symbol("Trade", "", {"symbol": "BRK-B"}) == "BRK-B"


def test_another_domain_is_another_vocabulary():
    lines = Vocabulary(frozenset({"U2", "S7"}), frozenset({"S7"}))
    assert symbol("the u2 was late", vocabulary=lines) == "U2"
    assert symbol("btc and s7", vocabulary=lines) is None
    assert find_symbol("S7 or U2", lines) == "S7"
    assert find_symbol("anything", Vocabulary(frozenset())) is None


def test_every_symbol_is_written_in_upper_case():
    assert all(name.isupper() or name.isdigit() for name in CRYPTO.symbols | CRYPTO.words)


def test_a_json_body_is_opened_and_any_other_is_its_own_text():
    assert open_body('{"text": "hi", "a": 1}') == ("hi", {"a": 1})
    assert open_body('{"a": 1}') == ('{"a": 1}', {"a": 1})
    assert open_body("plain") == ("plain", {})
    assert open_body("{" * 100_000)[1] == {}
