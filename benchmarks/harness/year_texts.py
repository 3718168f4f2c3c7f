"""What an agent hears and notes in a year.

Kinds, how often each comes, and texts from a world of finite size.

Services, people and pairs are few, so what is told of them repeats or replaces what was told
before; decisions, lessons and notes are new each time. Everything comes from one seeded generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from random import Random
from typing import Any

Item = dict[str, Any]

# How many of a kind a session brings, on average.
RATES: Mapping[str, float] = {
    "signal": 2.0, "watchpoint": 0.2, "event": 0.2, "turn_summary": 2.0, "session_summary": 1.0,
    "trade_entry": 0.4, "fact": 0.4, "preference": 0.12, "decision": 0.12, "note": 0.4, "lesson": 0.06,
    "thesis": 0.05, "curiosity": 0.08, "playbook": 0.012, "goal": 0.008,
}  # fmt: skip

PEOPLE = (
    "Abena Bogdan Chiara Dilnoza Edgar Fatima Goran Hulda Imre Jolanta Kenji Leocadia Mirek Nadia Oskar Priya "
    "Quentin Rosalba Sunniva Tomasz"
).split()
SERVICES = "billing ledger gateway scheduler archive search login mailer importer exporter metrics catalog".split()
PAIRS = "BTC ETH SOL AVAX DOT ATOM NEAR LTC ADA XRP".split()
CITIES = "Oslo Lima Quito Accra Hanoi Turin Malmo Porto Bergen Graz Basel Cadiz".split()
TOPICS = "meetings reports reviews travel lunch deadlines naming releases".split()
MANNERS = (
    "short and in the morning|in writing|with numbers first|on paper|late in the week|by voice|in a small circle|"
    "without slides"
).split("|")
STEPS = (
    "moved the retry queue|traced a timeout|rewrote the nightly export|checked the invoices|tuned the cache|"
    "read the incident report|split the schema|planned the migration|measured the startup|renamed the columns"
).split("|")
CAUSES = (
    "a stale lock|a missing index|clock drift|a full disk|an expired token|a retry storm|a bad deploy|"
    "a wrong default"
).split("|")
FACTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "owner": ("The owner of the {service} service is {value}", tuple(PEOPLE)),
    "region": ("The {service} service runs in the {value} region", tuple(CITIES)),
    "port": (
        "The {service} service listens on port {value}",
        tuple(str(7000 + 111 * n) for n in range(9)),
    ),
    "store": (
        "The {service} service keeps its data in {value}",
        ("Postgres", "SQLite", "Redis", "files"),
    ),
    "release": (
        "The {service} service is released every {value}",
        ("Monday", "Tuesday", "Thursday", "month"),
    ),
}


class Texts:
    """Items to be added, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._number = 1000

    def session(self, now: datetime, *, scale: float = 1.0) -> list[Item]:
        """What one session brings."""
        items = []
        for kind, rate in RATES.items():
            wanted = rate * scale
            count = int(wanted) + (self.random.random() < wanted - int(wanted))
            items += [self.item(kind, now) for _ in range(count)]
        return items

    def item(self, kind: str, now: datetime) -> Item:
        """One of a kind."""
        text, more = getattr(self, f"_{kind}", self._other)(kind, now)
        return {"text": text, "kind": kind, **more}

    def closing(self, entry: Item, now: datetime) -> Item:
        """How a trade ended."""
        gain = round(self.random.gauss(0.6, 3.0), 1)
        symbol = entry["attributes"]["symbol"]
        text = f"Closed {symbol} on {_day(now)} at {self._price()} for {gain:+.1f} per cent, as {self._cause()} hit"
        outcome = {"symbol": symbol, "pnl_pct": gain, "outcome": "win" if gain > 0 else "loss"}
        return {"text": text, "kind": "trade_close", "attributes": outcome}

    # the kinds

    def _signal(self, kind: str, now: datetime) -> tuple[str, Item]:
        what = self._one(("funding", "open interest", "volume", "basis", "depth"))
        return f"{self._one(PAIRS)} {what} at {self._price()} on {_day(now)} {now:%H:%M}", {}

    def _watchpoint(self, kind: str, now: datetime) -> tuple[str, Item]:
        return (
            f"Watch {self._one(PAIRS)} at {self._price()} until {_day(now + timedelta(days=5))}",
            {},
        )

    def _event(self, kind: str, now: datetime) -> tuple[str, Item]:
        return (
            f"Incident {self._next()}: the {self._one(SERVICES)} service stood still after {self._cause()}",
            {},
        )

    def _turn_summary(self, kind: str, now: datetime) -> tuple[str, Item]:
        steps = f"{self._one(STEPS)} and {self._one(STEPS)}"
        return (
            f"With {self._one(PEOPLE)} I {steps} for {self._one(SERVICES)}, ticket {self._next()}",
            {},
        )

    def _session_summary(self, kind: str, now: datetime) -> tuple[str, Item]:
        told = f"{self._one(STEPS)}, then {self._one(STEPS)}; open: {self._cause()} in {self._one(SERVICES)}"
        return f"Session of {_day(now)} {now:%H:%M}: {told}", {}

    def _trade_entry(self, kind: str, now: datetime) -> tuple[str, Item]:
        symbol = self._one(PAIRS)
        text = f"Opened {symbol} long at {self._price()} on {_day(now)}, stop at {self._price()}"
        return text, {"attributes": {"symbol": symbol, "stop_loss": 3}}

    def _fact(self, kind: str, now: datetime) -> tuple[str, Item]:
        pattern, values = FACTS[self._one(tuple(FACTS))]
        return pattern.format(service=self._skewed(SERVICES), value=self._one(values)), {}

    def _preference(self, kind: str, now: datetime) -> tuple[str, Item]:
        return f"{self._skewed(PEOPLE)} prefers {self._one(TOPICS)} {self._one(MANNERS)}", {}

    def _decision(self, kind: str, now: datetime) -> tuple[str, Item]:
        who, why = self._one(PEOPLE), self._cause()
        return (
            f"Decided on {_day(now)} with {who} to change {self._one(SERVICES)} ({self._next()}) after {why}",
            {},
        )

    def _note(self, kind: str, now: datetime) -> tuple[str, Item]:
        ends = now + timedelta(days=self.random.randint(2, 40))
        text = f"Reminder {self._next()}: send {self._one(PEOPLE)} the papers for {self._one(CITIES)} by {_day(ends)}"
        return text, {"expires_at": ends} if self.random.random() < 0.5 else {}

    def _lesson(self, kind: str, now: datetime) -> tuple[str, Item]:
        told = f"{self._cause()} in {self._one(SERVICES)} showed first as slow {self._one(SERVICES)} calls"
        return f"I learnt {self._next()}: {told}; look there before a restart", {}

    def _thesis(self, kind: str, now: datetime) -> tuple[str, Item]:
        return (
            f"{self._one(PAIRS)} will outrun {self._one(PAIRS)} while fees stay under {self._price()}",
            {},
        )

    def _curiosity(self, kind: str, now: datetime) -> tuple[str, Item]:
        return (
            f"Why does {self._one(SERVICES)} slow down after {self._cause()} in {self._one(CITIES)}?",
            {},
        )

    def _playbook(self, kind: str, now: datetime) -> tuple[str, Item]:
        return (
            f"On {self._cause()} in {self._one(SERVICES)}: {self._one(STEPS)}, case {self._next()}",
            {},
        )

    def _goal(self, kind: str, now: datetime) -> tuple[str, Item]:
        return (
            f"Goal {self._next()}: bring the {self._one(SERVICES)} service under {self._price()} errors a day",
            {},
        )

    def _other(self, kind: str, now: datetime) -> tuple[str, Item]:
        return f"{kind} {self._next()} about {self._one(SERVICES)}", {}

    # pieces

    def _one(self, values: Any) -> Any:
        return self.random.choice(values)

    def _skewed(self, values: list[str]) -> str:
        return values[min(int(self.random.paretovariate(0.9)) - 1, len(values) - 1)]

    def _cause(self) -> str:
        return self.random.choice(CAUSES)

    def _price(self) -> str:
        return f"{self.random.uniform(1, 400):.2f}"

    def _next(self) -> int:
        self._number += 1
        return self._number


def _day(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"
