"""The agent's trades: planned so that one setup wins under one condition and loses without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from examples.demo.data import read_data
from examples.demo.events import Learn
from examples.demo.halfyear import (
    DAYS,
    END,
    WEEKENDS_FREE_FROM,
    allowed_risk,
    day_of,
    is_weekend,
    moment,
)
from examples.demo.market import SYMBOLS, Prices, figures, format_price

PHRASES = read_data("phrases")

# Results come from shuffled decks, so that the rates below hold for every seed.
DECKS = {
    ("breakout", "high"): "WWWWWWWLL",
    ("breakout", "low"): "WWLLLLL",
    ("pullback", ""): "WWWWWWLLLLL",
    ("range_fade", ""): "WWWWLLLL",
    ("news_spike", ""): "WLLL",
}
NEWS_LAST_DAY = 94
SPRINT = ("SOL", 166, 12)  # symbol, first day and number of breakouts that close the half-year
_SETUPS = ("breakout",) * 8 + ("pullback",) * 6 + ("range_fade",) * 4 + ("news_spike",) * 4


@dataclass(frozen=True, slots=True)
class Trade:
    ref: str
    symbol: str
    setup: str
    direction: str
    volume: str  # at entry: high or low
    opened: datetime
    closed: datetime
    entry: float
    pnl: float  # per cent of the position
    won: bool

    @property
    def exit(self) -> float:
        sign = 1 if self.direction == "long" else -1
        return self.entry * (1 + sign * self.pnl / 100)

    @property
    def is_closed(self) -> bool:
        return self.closed < END

    @property
    def name(self) -> str:
        return self.setup.replace("_", " ")


class _Deck:
    """Results in shuffled order; a fresh deck when one is used up."""

    def __init__(self, cards: str, rng: Random) -> None:
        self._cards, self._rng, self._left = cards, rng, list[str]()

    def draw(self) -> bool:
        if not self._left:
            self._left = list(self._cards)
            self._rng.shuffle(self._left)
        return self._left.pop() == "W"


def plan(seed: int, prices: Prices) -> list[Trade]:
    """Makes every trade of the half-year in the order of opening; some are open at its end."""
    rng = Random(f"{seed}/trades")
    decks = {key: _Deck(cards, rng) for key, cards in DECKS.items()}
    slots = sorted(_slots(rng))
    trades = [
        _trade(f"trade-{number:03}", symbol, setup, opened, decks, prices, rng)
        for number, (opened, symbol, setup) in enumerate(slots, 1)
    ]
    return trades + _sprint(len(trades), prices, rng)


def _slots(rng: Random) -> Iterator[tuple[datetime, str, str]]:
    for symbol in SYMBOLS:
        for number in range(symbol.trades):
            share = (number + rng.random()) / symbol.trades
            day = symbol.first_day + int(share * (symbol.last_day + 1 - symbol.first_day))
            if day >= WEEKENDS_FREE_FROM and is_weekend(day):
                day -= 2
            setup = rng.choice(_SETUPS)
            if setup == "news_spike" and day > NEWS_LAST_DAY:
                setup = "pullback"
            yield moment(day, rng.triangular(0.5, 23.5, 14.0)), symbol.name, setup


def _trade(
    ref: str, symbol: str, setup: str, opened: datetime, decks: dict[tuple[str, str], _Deck],
    prices: Prices, rng: Random,
) -> Trade:  # fmt: skip
    volume = "high" if rng.random() < 0.55 else "low"
    won = decks[setup, volume if setup == "breakout" else ""].draw()
    long = rng.random() < (0.8 if setup == "breakout" else 0.6)
    hours = 1.0 if setup == "news_spike" else rng.uniform(5, 70)
    return Trade(
        ref=ref,
        symbol=symbol,
        setup=setup,
        direction="long" if long else "short",
        volume=volume,
        opened=opened,
        closed=opened + timedelta(minutes=round(hours * 60)),
        entry=prices[symbol][day_of(opened)] * rng.uniform(0.99, 1.01),
        pnl=_pnl(won, setup == "breakout" and volume == "high", rng),
        won=won,
    )


def _sprint(before: int, prices: Prices, rng: Random) -> list[Trade]:
    """Makes two weeks of long SOL breakouts: nine on high volume, seven won, and three on low."""
    symbol, first, count = SPRINT
    high = list(DECKS["breakout", "high"])
    rng.shuffle(high)
    results = [("high", card) for card in high] + [("low", card) for card in "WLL"]
    rng.shuffle(results)
    weekdays = [day for day in range(first, DAYS - 1) if not is_weekend(day)]
    trades = []
    for number, (volume, card) in enumerate(results):
        opened = moment(
            weekdays[number * len(weekdays) // count], 13.6 + rng.random() * 2 + number % 2 * 3
        )
        trades.append(
            Trade(
                f"trade-{before + number + 1:03}", symbol, "breakout", "long", volume, opened,
                opened + timedelta(minutes=rng.randint(150, 900)),
                prices[symbol][day_of(opened)] * rng.uniform(0.995, 1.005),
                _pnl(card == "W", volume == "high", rng), card == "W",
            )
        )  # fmt: skip
    return trades


def _pnl(won: bool, strong: bool, rng: Random) -> float:
    if not won:
        return -round(rng.uniform(0.6, 2.1), 1)
    return round(rng.uniform(1.2, 5.6) if strong else rng.uniform(0.5, 2.6), 1)


def describe_trade(
    trade: Trade, rng: Random, caused_by: tuple[tuple[str, str], ...]
) -> Iterator[Learn]:
    """Yields the agent's notes about a trade: the entry, now and then a change, the close."""
    slots = _wording(trade, rng)
    common: dict[str, Any] = {
        "symbol": trade.symbol, "direction": trade.direction, "setup": trade.setup,
        "volume": trade.volume,
    }  # fmt: skip
    parts = [rng.choice(PHRASES["entry"][trade.setup]), rng.choice(PHRASES["risk"])]
    if rng.random() < 0.55:
        parts.insert(1, rng.choice(PHRASES["background"]))
    entry = {
        **common,
        "entry_price": float(f"{trade.entry:.6g}"),
        "risk_pct": allowed_risk(day_of(trade.opened)),
    }
    yield _learn(trade, "trade_entry", trade.opened, _fill(parts, slots), entry, caused_by, "entry")
    belongs = ((f"{trade.ref}-entry", "part_of"),)
    length = trade.closed - trade.opened
    if length > timedelta(hours=6) and rng.random() < 0.34:
        at = trade.opened + length * rng.uniform(0.3, 0.7)
        if at < END:
            text = _fill([rng.choice(PHRASES["modify"])], slots)
            yield _learn(
                trade,
                "trade_modify",
                at.replace(second=0, microsecond=0),
                text,
                common,
                belongs,
                "modify",
            )
    if trade.is_closed:
        result = {**common, "pnl_pct": trade.pnl, "outcome": "win" if trade.won else "loss"}
        text = _fill(
            [rng.choice(PHRASES["close_win"] if trade.won else PHRASES["close_loss"])], slots
        )
        causes = (*belongs, (f"{trade.ref}-entry", "caused_by"))
        yield _learn(trade, "trade_close", trade.closed, text, result, causes, "close")


def _learn(
    trade: Trade, kind: str, at: datetime, text: str, attributes: dict[str, Any],
    links: tuple[tuple[str, str], ...], part: str,
) -> Learn:  # fmt: skip
    fields = {
        "text": text, "kind": kind, "event_at": at, "attributes": attributes,
        "entities": [trade.symbol], "tags": [trade.symbol.lower(), trade.setup],
    }  # fmt: skip
    return Learn(at, f"{trade.ref}-{part}", fields, links)


def _fill(parts: list[str], slots: dict[str, str]) -> str:
    return " ".join(part.format_map(slots) for part in parts)


def _wording(trade: Trade, rng: Random) -> dict[str, str]:
    """The slots of a trade's phrases; volume words agree with its volume."""
    slots = figures(rng, trade.symbol, trade.entry, day_of(trade.opened))
    sign = 1 if trade.direction == "long" else -1
    times = rng.uniform(1.6, 3.4) if trade.volume == "high" else rng.uniform(0.5, 1.1)
    heavy = ("volume {:.1f} times its average", "heavy volume, {:.1f} times the mean of 20 bars")
    thin = ("thin volume at {:.1f} times the average", "volume only {:.1f} times its average")
    volume = rng.choice(heavy if trade.volume == "high" else thin).format(times)
    # The edge of a range lies behind a breakout and ahead of a fade.
    edge = -sign * rng.uniform(0.002, 0.008)
    slots |= {
        "direction": trade.direction, "Direction": trade.direction.capitalize(),
        "setup": trade.name,
        "Took": "Bought" if sign > 0 else "Sold", "beyond": "above" if sign > 0 else "below",
        "entry": format_price(trade.entry), "exit": format_price(trade.exit),
        "level": format_price(trade.entry * (1 + edge)),
        "stop": format_price(trade.entry * (1 - sign * rng.uniform(0.011, 0.021))),
        "target": format_price(trade.entry * (1 + sign * rng.uniform(0.025, 0.055))),
        "price": format_price((trade.entry + trade.exit) / 2), "times": f"{times:.1f}",
        "volume": volume, "Volume": volume[0].upper() + volume[1:],
        "pnl": f"{trade.pnl:+.1f}", "lost": f"{abs(trade.pnl):.1f}",
        "risk": f"{allowed_risk(day_of(trade.opened)):g}", "held": _format_length(trade),
    }  # fmt: skip
    volume_matters = trade.setup == "breakout"
    key = " ".join([
        trade.setup, *([trade.volume] if volume_matters else []), "win" if trade.won else "loss",
    ])  # fmt: skip
    slots["why"] = rng.choice(PHRASES["why"][key]).format_map(slots)
    return slots


def _format_length(trade: Trade) -> str:
    hours = (trade.closed - trade.opened).total_seconds() / 3600
    if hours < 1.5:
        return "an hour"
    return f"{hours:.0f} hours" if hours < 42 else f"{hours / 24:.0f} days"
