"""What the agent sees between trades.

Signals, watchpoints, theses, chances missed and rightly passed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from examples.demo.data import read_data
from examples.demo.events import Learn, Links
from examples.demo.halfyear import DAYS, day_of, moment, spoken
from examples.demo.market import ABANDONED_SYMBOL, SYMBOLS, Prices, Symbol, figures
from examples.demo.trades import Trade

PHRASES = read_data("phrases")

FREE_SIGNALS = 118
WATCHPOINTS = 92
CHANCES = 18
_HINTS = {
    "breakout": ("volume_spike", "level", "book"),
    "pullback": ("divergence", "correlation", "flow"),
    "range_fade": ("level", "divergence", "book"),
    "news_spike": ("volume_spike", "open_interest", "funding"),
}


def hint(trade: Trade, rng: Random) -> Learn:
    """The signal a trade answers, up to an hour and a half before it."""
    at = trade.opened - timedelta(minutes=rng.randint(8, 90))
    return _signal(
        f"{trade.ref}-signal", rng.choice(_HINTS[trade.setup]), trade.symbol, trade.entry, at, rng
    )


def signals(rng: Random, prices: Prices) -> Iterator[Learn]:
    """Signals that nobody acted on."""
    for number in range(FREE_SIGNALS):
        symbol, day = _somewhere(rng, number, FREE_SIGNALS)
        kind = rng.choice(tuple(PHRASES["signal"]))
        at = moment(day, rng.uniform(1, 22))
        yield _signal(f"signal-{number:03}", kind, symbol, prices[symbol][day], at, rng)


def _signal(ref: str, kind: str, symbol: str, price: float, at: datetime, rng: Random) -> Learn:
    slots = figures(rng, symbol, price, day_of(at))
    attributes = {"symbol": symbol, "type": kind, "severity": round(rng.uniform(0.2, 0.95), 2)}
    return _learn(
        "signal", ref, symbol, at, rng.choice(PHRASES["signal"][kind]).format_map(slots), attributes
    )


def watchpoints(rng: Random, prices: Prices) -> Iterator[Learn]:
    """Levels to keep an eye on; every second one says until when."""
    for number in range(WATCHPOINTS):
        symbol, day = _somewhere(rng, number, WATCHPOINTS)
        at = moment(day, rng.uniform(6, 20))
        slots = figures(rng, symbol, prices[symbol][day], day)
        text = PHRASES["watch"][number % len(PHRASES["watch"])].format_map(slots)
        learn = _learn("watchpoint", f"watch-{number:03}", symbol, at, text, {"symbol": symbol})
        if number % 2:
            learn.fields["expires_at"] = at + timedelta(days=rng.randint(4, 14))
        yield learn


def chances(rng: Random, prices: Prices) -> Iterator[Learn]:
    """Trades that were not taken, to regret or to be glad of."""
    for kind, texts in (
        ("missed_opportunity", PHRASES["missed"]),
        ("good_pass", PHRASES["passed"]),
    ):
        for number in range(CHANCES):
            symbol, day = _somewhere(rng, number, CHANCES)
            setup = rng.choice(("breakout", "pullback", "range fade"))
            slots = {**figures(rng, symbol, prices[symbol][day], day), "setup": setup}
            attributes = {"symbol": symbol, "setup": setup.replace(" ", "_")}
            text = texts[number % len(texts)].format_map(slots)
            yield _learn(
                kind,
                f"{kind}-{number:02}",
                symbol,
                moment(day, rng.uniform(9, 21)),
                text,
                attributes,
            )


def theses(rng: Random, prices: Prices) -> list[Learn]:
    """Makes the views by symbol; a view that turns is linked to the one it contradicts."""
    return [thesis for symbol in SYMBOLS for thesis in _views_on(symbol, rng, prices)]


def _views_on(symbol: Symbol, rng: Random, prices: Prices) -> Iterator[Learn]:
    gap = 11 if symbol.name == ABANDONED_SYMBOL else 21
    bullish, before = rng.random() < 0.5, None
    for number, day in enumerate(
        range(symbol.first_day + rng.randint(0, 4), min(symbol.last_day, DAYS - 4), gap)
    ):
        turned = before is not None and (number == 2 or rng.random() < 0.4)
        bullish = bullish is not turned
        at = moment(min(day + rng.randint(0, 5), symbol.last_day), rng.uniform(7, 12))
        text = _view(symbol.name, bullish, turned, before.at if before else at, at, rng, prices)
        link: Links = ((before.ref, "contradicts" if turned else "related_to"),) if before else ()
        attributes = {"symbol": symbol.name, "direction": "bullish" if bullish else "bearish"}
        ref = f"thesis-{symbol.name.lower()}-{number}"
        before = _learn("thesis", ref, symbol.name, at, text, attributes, link)
        yield before


def _view(
    symbol: str,
    bullish: bool,
    turned: bool,
    then: datetime,
    at: datetime,
    rng: Random,
    prices: Prices,
) -> str:
    day = day_of(at)
    price = prices[symbol][day]
    slots = figures(rng, symbol, price, day)
    reach = rng.uniform(0.08, 0.2) * (1 if bullish else -1)
    slots |= {
        "target": figures(rng, symbol, price * (1 + reach), day)["price"],
        "then": spoken(day_of(then)),
    }
    parts = (
        [PHRASES["bull"], PHRASES["bull_why"]]
        if bullish
        else [PHRASES["bear"], PHRASES["bear_why"]]
    )
    if turned:
        parts.insert(0, PHRASES["turned"])
    return " ".join(rng.choice(part).format_map(slots) for part in parts)


def in_force(views: Sequence[Learn], symbol: str, at: datetime) -> Learn | None:
    """The newest view on a symbol at a moment."""
    held = [v for v in views if v.at < at and v.fields["attributes"]["symbol"] == symbol]
    return max(held, key=lambda view: view.at, default=None)


def _somewhere(rng: Random, number: int, total: int) -> tuple[str, int]:
    """A day, moving through the half-year with the number, and a symbol traded then."""
    day = min(int((number + rng.random()) / total * DAYS), DAYS - 1)
    there = [
        s
        for s in SYMBOLS
        if s.first_day <= day and (day <= s.last_day or s.name != ABANDONED_SYMBOL)
    ]
    return rng.choices(there, [s.trades for s in there])[0].name, day


def _learn(
    kind: str,
    ref: str,
    symbol: str,
    at: datetime,
    text: str,
    attributes: dict[str, Any],
    links: Links = (),
) -> Learn:
    fields: dict[str, Any] = {
        "text": text, "kind": kind, "attributes": attributes, "entities": [symbol],
        "tags": [symbol.lower()],
    }  # fmt: skip
    if kind == "signal":
        fields["event_at"] = at
    return Learn(at, ref, fields, links)
