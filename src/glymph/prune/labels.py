"""A short name for a group of memories."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

LONGEST_TITLE = 40
ISOLATED = "Isolated: "

_SYMBOL_FIELDS = ("symbol", "ticker", "asset", "instrument", "pair")
_SYMBOL = re.compile(r"\b[A-Z][A-Z0-9]{1,9}\b")
_NO_SYMBOL = frozenset(
    "LONG SHORT BUY SELL SL TP PNL ROI USD USDT USDC EUR GBP AM PM UTC OK NEW OPEN CLOSE "
    "CLOSED ENTRY EXIT STOP TRADE".split()
)


def label(members: Sequence[Mapping[str, Any]]) -> str:
    """Returns the name of a group; a member is a mapping with `kind`, `title` and `attributes`."""
    if not members:
        return "empty group"
    kinds = Counter(member["kind"] for member in members)
    trades = [member for member in members if member["kind"].startswith("trade")]
    if trades and 2 * len(trades) >= len(members):
        symbols = Counter(symbol for member in trades if (symbol := _symbol(member)))
        if symbols:
            return f"{symbols.most_common(1)[0][0]} trade lifecycle"
    kind = kinds.most_common(1)[0][0]
    title = shorten_title(members[0]["title"])
    return f"{kind}: {title}" if len(members) == 1 else f"{kind} group: {title}"


def shorten_title(title: str) -> str:
    """Returns a title of at most forty characters, in one line."""
    title = " ".join(title.split())
    return title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…"


def _symbol(member: Mapping[str, Any]) -> str | None:
    """Returns the symbol that was traded.

    It is taken from the attributes, else it is the first word of the title written like a symbol.
    """
    attributes = member["attributes"]
    for name in _SYMBOL_FIELDS:
        if isinstance(attributes.get(name), str) and attributes[name].strip():
            return str(attributes[name]).strip().upper()
    found = (word for word in _SYMBOL.findall(member["title"]) if word not in _NO_SYMBOL)
    return next(found, None)
