"""Finds the symbol that an episode is about.

The vocabulary is data: another domain has another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from glymph.text.attributes import open_body
from glymph.text.patterns import compile_late

FIELDS = ("symbol", "coin")  # attributes that name it, the surer first
LONGEST = 32  # characters of a symbol that an attribute gives

_WORD = compile_late(r"\w+")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The symbols of a domain, each a word.

    Those that are ordinary words as well count only in upper case. `quotes` may follow a symbol
    without a space: BTCUSDT is about BTC.
    """

    symbols: frozenset[str]
    words: frozenset[str] = frozenset()
    quotes: frozenset[str] = frozenset()


CRYPTO = Vocabulary(
    symbols=frozenset(
        "BTC ETH SOL DOGE ARB AVAX MATIC POL AAVE SEI PEPE BONK JUP TIA INJ XRP ADA BNB LTC BCH "
        "ETC DOT UNI TRX XLM XMR FIL HBAR ICP VET ALGO EGLD FTM RUNE MKR CRV LDO SNX GRT ENS DYDX "
        "GMX PYTH STRK ZRO ENA ONDO FET RNDR TAO WLD ORDI KAS SHIB FLOKI HYPE TRUMP AXS GALA IMX "
        "BLUR PENDLE ATOM EIGEN JTO ZK".split()
    ),
    words=frozenset(
        "OP LINK APT SUI NEAR ONE UNI DOT ATOM POL ICP TRUMP HYPE BLUR GALA WIF SAND MANA GAS FLOW "
        "MASK ID AI TON APE BOME CAKE COMP RUNE MEME NOT PEOPLE SAFE SUPER TRUST W WAVES AR CORE "
        "HOT JASMY KEY MINA MOVE ORDER SUSHI TURBO VET ACT ACE HIGH HOOK MAGIC PORTAL RARE SUN WIN "
        "GMT LIT FET ENS ADA SOLO".split()
    )
    - {"W", "SOLO"},
    quotes=frozenset({"USDT", "USDC", "USD", "PERP"}),
)


def symbol(
    title: str,
    body: str = "",
    attributes: Mapping[str, Any] | None = None,
    *,
    vocabulary: Vocabulary = CRYPTO,
) -> str | None:
    """Returns the symbol an episode is about, in upper case.

    It is taken from the attributes, else from the title, then from the body. Of a body that is a
    JSON object, `signals` (or the object itself) counts as attributes and `text` as the body.
    """
    text, inside = open_body(body)
    for told in (attributes or {}, inside):
        if (found := _of_fields(told, vocabulary)) is not None:
            return found
    if text.startswith(title):  # as where nobody gave a title
        return find_symbol(text, vocabulary)
    return find_symbol(title, vocabulary) or find_symbol(text, vocabulary)


def find_symbol(text: str, vocabulary: Vocabulary = CRYPTO) -> str | None:
    """The first symbol that stands in a text as a whole word."""
    names = _names(vocabulary)
    words = _WORD.findall(text)
    if names.keys().isdisjoint(map(str.upper, words)):
        return None
    for word in words:
        name = names.get(word.upper())
        if name is not None and (name not in vocabulary.words or word.isupper()):
            return name
    return None


def _of_fields(told: Mapping[str, Any], vocabulary: Vocabulary) -> str | None:
    inner = told.get("signals")
    for source in (told, inner if isinstance(inner, Mapping) else {}):
        for field in FIELDS:
            value = source.get(field)
            if isinstance(value, str) and value.strip():
                name = value.strip().upper()[:LONGEST]
                head = re.split(r"[/:\-_]", name)[0]
                known = vocabulary.symbols | vocabulary.words
                return head if head in known and name not in known else name
    return None


@lru_cache(maxsize=16)
def _names(vocabulary: Vocabulary) -> Mapping[str, str]:
    """The symbol of each word that stands for one, in upper case."""
    known = vocabulary.symbols | vocabulary.words
    quoted = {name.upper() + quote.upper(): name for name in known for quote in vocabulary.quotes}
    return quoted | {name.upper(): name for name in known}
