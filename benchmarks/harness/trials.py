"""Episodes with outcomes: a built set, and the airline trials of tau-bench.

The built set has planted conditions among noise.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from glymph.learn.conditions import Finding, band
from glymph.learn.episodes import Episode
from glymph.moments import MICROS_PER_DAY
from glymph.prune.outcomes import Outcome

NOISE = 40  # attributes that have nothing to do with the outcome
HOUR = MICROS_PER_DAY // 24
START = 1_700_000_000_000_000
PULL, WEAK = (
    0.85,
    0.6,
)  # of each planted condition, in log odds: 20 and 14 points of success at most
NEAR = 0.12  # by what share of the episodes a threshold may be off
FUNDING, VOLATILITY = 0.7, 0.4  # where the planted thresholds lie
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot")
CHANGING = ("book_reservation", "cancel_reservation", "update_", "send_certificate")
UNSURE = ("Error", "not found", "error")


@dataclass(frozen=True, slots=True)
class Built:
    episodes: Sequence[Episode]

    def right(self, finding: Finding) -> str | None:
        """The planted condition a finding has found, with its side and its place.

        None if it is none of them.
        """
        name, value = finding.condition.name, finding.condition.value
        up = finding.lift > 0
        if name in ("funding", "volatility") and isinstance(value, float):
            wanted, rises = (FUNDING, True) if name == "funding" else (VOLATILITY, False)
            return name if abs(value - wanted) <= NEAR and up == rises else None
        planted = {
            ("setup", "breakout"): True, ("tag", "news"): False, ("hour", "06-12"): True,
            ("previous outcome", "success"): True, ("previous outcome", "failure"): False,
        }  # fmt: skip
        return name if planted.get((name, str(value))) is up else None


def built(count: int, seed: int, *, noise: int = NOISE, pull: float = PULL) -> Built:
    """Episodes whose outcome hangs on six conditions and on nothing else.

    Everything else about them is noise.
    """
    random = np.random.default_rng(seed)
    episodes: list[Episode] = []
    before = 0.0
    for number in range(count):
        at = START + number * 5 * HOUR + int(random.integers(0, 4 * HOUR))
        tags = tuple(
            tag
            for tag, share in (("news", 0.3), ("weekly", 0.3), ("review", 0.2))
            if random.random() < share
        )
        own: dict[str, Any] = {
            "funding": float(random.random()),
            "volatility": float(random.random()),
            "setup": str(random.choice(["breakout", "fade", "range", "trend"])),
        }
        odds = -0.3 + pull * (
            (own["funding"] > FUNDING) - (own["volatility"] > VOLATILITY) + (own["setup"] == "breakout")
            - ("news" in tags) + (band(at) == "06-12") + before
        )  # fmt: skip
        won = bool(random.random() < 1 / (1 + math.exp(-odds)))
        before = 1.0 if won else 0.0
        own |= {f"noise_{n}": _noise(n, random) for n in range(noise)}
        episodes.append(
            Episode(f"e{number}", "trade_close", at, f"Trade {number}", tags=tags, attributes=own,
                    outcome=Outcome(won))
        )  # fmt: skip
    return Built(episodes)


def _noise(number: int, random: np.random.Generator) -> Any:
    if number % 4 == 3:
        return bool(random.random() < 0.5)
    return str(random.choice(WORDS)) if number % 4 == 2 else float(random.normal())


# tau-bench


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of a task, told only by what the agent did and saw."""

    task: str
    episode: Episode


def airline(path: Path) -> list[Trial]:
    """The trials of the file.

    What a task asks for, its gold actions and other trials are not looked at.
    """
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        seen = _seen(row["steps"])
        episode = Episode(
            f"t{number}",
            "event",
            START,
            "trial",
            attributes=seen,
            outcome=Outcome(bool(row["success"])),
        )
        found.append(Trial(row["task"], episode))
    return found


def _seen(steps: Sequence[Sequence[str]]) -> Mapping[str, Any]:
    """What the agent did and saw in a trial, as attributes."""
    by_who: dict[str, list[Sequence[str]]] = {"user": [], "agent": [], "call": [], "result": []}
    for step in steps:
        by_who[step[0]].append(step)
    calls = [call[1] for call in by_who["call"]]
    used = Counter(calls)
    repeated = len(calls) - len({(call[1], call[2]) for call in by_who["call"]})
    changes = [call for call in calls if call.startswith(CHANGING)]
    said = " ".join(text[1] for text in by_who["agent"])
    seen: dict[str, Any] = {f"calls {tool}": tool in used for tool in TOOLS}
    return seen | {
        "steps": len(steps),
        "turns of the user": len(by_who["user"]),
        "calls": len(calls),
        "different tools": len(used),
        "calls made twice": repeated,
        "changing calls": len(changes),
        "errors seen": sum(result[2].startswith(UNSURE) for result in by_who["result"]),
        "first tool": calls[0] if calls else "none",
        "last tool": calls[-1] if calls else "none",
        "first change": changes[0] if changes else "none",
        "characters of an agent's turn": len(said) / max(1, len(by_who["agent"])),
        "characters of a user's turn": sum(len(text[1]) for text in by_who["user"])
        / max(1, len(by_who["user"])),
        "asks for confirmation": "confirm" in said.lower(),
        "says it cannot": any(
            word in said.lower() for word in ("unable to", "cannot", "not able to")
        ),
        "apologises": any(word in said.lower() for word in ("apologize", "apologise", "sorry")),
    }


TOOLS = (
    "book_reservation", "calculate", "cancel_reservation", "get_reservation_details", "get_user_details",
    "list_all_airports", "search_direct_flight", "search_onestop_flight", "send_certificate", "think",
    "transfer_to_human_agents", "update_reservation_baggages", "update_reservation_flights",
    "update_reservation_passengers",
)  # fmt: skip
