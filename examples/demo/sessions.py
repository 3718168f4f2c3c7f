"""The agent's conversations: what was said turn by turn.

And a summary that counts the day's trades.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from random import Random

from examples.demo.data import read_data
from examples.demo.events import Learn
from examples.demo.halfyear import DAYS, allowed_risk, day_of, is_weekend, moment, spoken
from examples.demo.market import Prices, figures, symbols_on
from examples.demo.trades import Trade

PHRASES = read_data("phrases")

HEATMAP_DAYS = range(13, 57, 7)  # the days a conversation turns to the project


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation. It ends in the evening, when the day's trades are known."""

    name: str
    day: int


def sessions(rng: Random) -> list[Session]:
    """Most working days have one, a third of the weekend days too."""
    days = [day for day in range(DAYS) if rng.random() < (0.33 if is_weekend(day) else 0.88)]
    return [Session(f"session-{moment(day):%Y-%m-%d}", day) for day in days]


def turns(session: Session, rng: Random, prices: Prices) -> Iterator[Learn]:
    """One or two things that were talked about."""
    for number in range(rng.choice((1, 2, 2))):
        symbol = rng.choice(symbols_on(session.day))
        on_project = number == 0 and any(session.day in range(day, day + 2) for day in HEATMAP_DAYS)
        texts = PHRASES["heatmap_turn"] if on_project else PHRASES["turn"]
        slots = figures(rng, symbol, prices[symbol][session.day], session.day)
        slots["risk"] = f"{allowed_risk(session.day) * rng.uniform(1, 3):.1f}"
        text = rng.choice(texts).format_map(slots)
        at = moment(session.day, 9 + number * 4 + rng.random() * 3)
        fields = {
            "text": text, "kind": "turn_summary", "session": session.name, "event_at": at,
            "tags": ["heatmap"] if on_project else [],
            "attributes": {"project": "heatmap"} if on_project else {},
        }  # fmt: skip
        yield Learn(at, f"{session.name}-turn-{number}", fields)


def summary(
    session: Session,
    spoken_of: Sequence[Learn],
    trades: Sequence[Trade],
    rng: Random,
    prices: Prices,
) -> Learn:
    """The session in two or three sentences, derived from its turns."""
    day = session.day
    symbol = rng.choice(symbols_on(day))
    slots = figures(rng, symbol, prices[symbol][day], day)
    slots["risk"] = f"{allowed_risk(day) * rng.uniform(1, 3):.1f}"
    done = _describe_trades(day, trades)
    slots |= {
        "date": spoken(day),
        "done": done,
        "Done": done[0].upper() + done[1:],
        "mood": rng.choice(PHRASES["mood"]).format_map(slots),
        "plan": rng.choice(PHRASES["plan"]).format_map(slots),
    }
    fields = {
        "text": rng.choice(PHRASES["session"]).format_map(slots), "kind": "session_summary",
        "session": session.name,
    }  # fmt: skip
    at = moment(day, 21.5) + timedelta(minutes=rng.randint(0, 40))
    return Learn(
        at,
        f"{session.name}-summary",
        fields,
        tuple((turn.ref, "derived_from") for turn in spoken_of),
    )


def _describe_trades(day: int, trades: Sequence[Trade]) -> str:
    evening = moment(day, 21.5)
    opened = [t for t in trades if day_of(t.opened) == day and t.opened < evening]
    closed = [t for t in trades if day_of(t.closed) == day and t.closed < evening]
    parts = []
    if opened:
        parts.append("opened " + _join([f"{t.symbol} {t.direction}" for t in opened]))
    if closed:
        parts.append("closed " + _join([f"{t.symbol} at {t.pnl:+.1f} %" for t in closed]))
    return ", ".join(parts) or "no trade opened or closed"


def _join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
