"""The market the agent trades on: eight symbols with a made-up price for every day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Symbol:
    name: str
    price: float  # on the first day
    swing: float  # typical daily move, as a share of the price
    first_day: int
    last_day: int  # of trading it
    trades: int  # over the half-year, the final weeks of SOL aside


SYMBOLS = (
    Symbol("BTC", 94_200.0, 0.018, 0, 178, 50),
    Symbol("ETH", 3_310.0, 0.024, 0, 177, 40),
    Symbol("SOL", 186.0, 0.032, 0, 158, 38),
    Symbol("XRP", 2.14, 0.029, 4, 174, 20),
    Symbol("ADA", 0.87, 0.030, 9, 171, 18),
    Symbol("LINK", 21.6, 0.031, 2, 176, 22),
    Symbol("AVAX", 36.4, 0.033, 47, 178, 22),
    Symbol("DOT", 6.85, 0.031, 0, 54, 26),
)
ABANDONED_SYMBOL = "DOT"  # nobody mentions it after its last day

Prices = Mapping[str, list[float]]


def prices(seed: int, days: int) -> Prices:
    """A price per symbol and day: a random walk that is drawn back towards where it began."""
    walks: dict[str, list[float]] = {}
    for symbol in SYMBOLS:
        rng = Random(f"{seed}/{symbol.name}")
        walk = [symbol.price]
        for _ in range(days - 1):
            pull = 0.01 * (symbol.price / walk[-1] - 1.0)
            walk.append(walk[-1] * (1.0 + rng.gauss(0.0, symbol.swing) + pull))
        walks[symbol.name] = walk
    return walks


def format_price(price: float) -> str:
    """A price as traders write it: four telling digits, thousands set apart."""
    if price >= 1000:
        return f"{price:,.0f}"
    return f"{price:.2f}" if price >= 10 else f"{price:.3f}"


def symbols_on(day: int) -> list[str]:
    """The symbols on the agent's list on a day."""
    return [
        s.name
        for s in SYMBOLS
        if s.first_day <= day and (day <= s.last_day or s.name != ABANDONED_SYMBOL)
    ]


def figures(rng: Random, symbol: str, price: float, day: int) -> dict[str, str]:
    """Everything a phrase may ask for about a symbol at a price."""
    step = rng.uniform(0.008, 0.03)
    sign = rng.choice((1, -1))
    others = [name for name in symbols_on(day) if name != symbol]
    people = ("Mira", "Tobias") if day < 102 else ("Mira", "Noor")
    return {
        "symbol": symbol,
        "other": rng.choice(others),
        "who": rng.choice(people),
        "price": format_price(price),
        "level": format_price(price * (1 + sign * step)),
        "target": format_price(price * (1 + sign * step * rng.uniform(2.0, 4.0))),
        "over": format_price(price * (1 + step)),
        "up": format_price(price * (1 + step * 3)),
        "under": format_price(price * (1 - step)),
        "down": format_price(price * (1 - step * 3)),
        "low": format_price(price * (1 - step * 2)),
        "high": format_price(price * (1 + step * 2)),
        "hours": str(rng.randint(6, 40)),
        "minutes": str(rng.randint(4, 55)),
        "bars": rng.choice(("two", "three", "four", "five", "six")),
        "days": str(rng.randint(5, 45)),
        "weeks": rng.choice(("two", "three", "four", "five", "six")),
        "nth": rng.choice(("third", "fourth", "fifth")),
        "several": rng.choice(("three", "four", "five", "six")),
        "width": f"{rng.uniform(0.3, 1.6):.1f}",
        "share": f"{rng.uniform(1.4, 6.8):.1f}",
        "times": f"{rng.uniform(1.6, 3.4):.1f}",
        "low_times": f"{rng.uniform(0.5, 0.9):.1f}",
        "score": str(rng.randint(31, 88)),
        "funding": f"{rng.choice((1, -1)) * rng.uniform(0.012, 0.065):.3f}",
    }
