"""Outcomes of episodes, read from attributes.

They are needed so that nothing is archived before it was learnt from.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

NAMES = frozenset(
    "outcome result success succeeded failed win won loss lost profit pnl roi roe return returns "
    "score".split()
)
UNITS = frozenset(
    "pct percent usd eur gbp usdt usdc r bps net gross realized realised total value".split()
)
OPEN = frozenset({"", "open", "pending", "unknown", "none", "n/a"})  # words that say: not yet

GOOD = frozenset({"success", "succeeded", "win", "won"})  # names whose yes is a success
BAD = frozenset({"failed", "loss", "lost"})  # names whose yes is a failure
SHARES = frozenset(
    {"pct", "percent", "roi", "roe", "return", "returns", "r", "bps"}
)  # comparable amounts
WON = frozenset(
    "success successful succeeded win won winner profit profitable gain pass passed ok yes true "
    "solved done completed approved accepted correct right hit good positive".split()
)
LOST = frozenset(
    "failure fail failed loss lose lost loser unprofitable reject rejected error no false unsolved "
    "aborted cancelled canceled denied wrong incorrect miss missed bad negative liquidated".split()
)

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTS = re.compile(r"[^a-z0-9]+")
_AMOUNT = re.compile(
    r"[+-]?\$?(\d[\d,]*(?:\.\d+)?|\.\d+) ?(?:%|usd|usdt|usdc|eur|gbp|r|bps)?\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of an episode.

    `success` is None if it ended neither well nor badly, or does not say which.
    """

    success: bool | None
    magnitude: float | None = None


def bears_outcome(attributes: Mapping[str, Any]) -> bool:
    """Tells whether one of the attributes, or of those one level below, says how it ended.

    A name counts if it is one of `NAMES` but for a unit: `pnl_pct` does, `stop_loss` is a plan and
    does not. A failure is an outcome too; an empty value, or one that says it is still open, is
    none.
    """
    return any(_find_outcomes(attributes))


def outcome(attributes: Mapping[str, Any]) -> Outcome | None:
    """Returns how an episode ended, or None if its attributes do not say, or not yet.

    The attributes and those one level below are read. A word or a yes or no decides; without one
    the sign of an amount does, and zero is neither. The magnitude is the first amount, one in per
    cent before others.
    """
    told = list(_find_outcomes(attributes))
    if not told or _still_open(attributes):
        return None
    verdicts = [
        verdict for name, _, value in told if (verdict := _verdict(name, value)) is not None
    ]
    amounts = [(not SHARES.isdisjoint(parts), amount) for name, parts, value in told
               if (amount := _read_amount(name, value)) is not None]  # fmt: skip
    magnitude = next((amount for _, amount in sorted(amounts, key=lambda one: not one[0])), None)
    if verdicts:
        return Outcome(verdicts[0], magnitude)
    tells = [
        amount
        for name, _, value in told
        if name != "score" and (amount := _read_amount(name, value)) is not None
    ]
    signed = next((amount for amount in tells if amount), 0.0)
    return Outcome(signed > 0 if signed else None, magnitude)


def tells_outcome(name: str) -> bool:
    """Tells whether an attribute of this name says how something ended."""
    return _read_name(name) is not None


def _find_outcomes(attributes: Mapping[str, Any]) -> Iterator[tuple[str, frozenset[str], Any]]:
    """Yields the attributes that tell an outcome.

    Each comes as the word that makes it one, all words of its name, and its value.
    """
    for name, value in attributes.items():
        inside = value.items() if isinstance(value, Mapping) else [(name, value)]
        for inner, found in inside:
            named = _read_name(inner)
            if named is not None and not _untold(found):
                yield (*named, found)


def _still_open(attributes: Mapping[str, Any]) -> bool:
    """Tells whether it says that it has not ended: an amount given meanwhile may still change."""
    inner = [value for value in attributes.values() if isinstance(value, Mapping)]
    said = [
        source.get(name)
        for source in (attributes, *inner)
        for name in ("outcome", "result", "status")
    ]
    return any(
        isinstance(word, str) and word.strip().lower() in ("open", "pending") for word in said
    )


def _untold(value: object) -> bool:
    if value is None or isinstance(value, list | dict):
        return True
    return isinstance(value, str) and value.strip().lower() in OPEN


@lru_cache(maxsize=4096)
def _read_name(name: object) -> tuple[str, frozenset[str]] | None:
    parts = [part for part in _PARTS.split(_CAMEL.sub("_", str(name)).lower()) if part]
    telling = [part for part in parts if part not in UNITS]
    return (telling[0], frozenset(parts)) if len(telling) == 1 and telling[0] in NAMES else None


def _verdict(name: str, value: object) -> bool | None:
    """Returns what a word, or a yes or no, says; None for an amount and for unknown words."""
    if isinstance(value, bool):
        return value is not (name in BAD)
    if isinstance(value, str) and _amount(value) is None:
        return _of_words(value) if name not in BAD else _opposite(_of_words(value))
    number = _amount(value)
    if number in (0.0, 1.0) and name in GOOD:
        return bool(number)
    return (False if number else None) if name in ("failed", "lost") else None


def _opposite(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _of_words(text: str) -> bool | None:
    """Returns what the words say together about success.

    Returns None if none of them says it, or some say yes and some no.
    """
    words = frozenset(_PARTS.split(_CAMEL.sub("_", text).lower()))
    good, bad = not words.isdisjoint(WON), not words.isdisjoint(LOST)
    negated = not words.isdisjoint({"not", "un", "without"})
    return None if good == bad else good is not negated


def _read_amount(name: str, value: object) -> float | None:
    """Returns the amount of an attribute, losses below zero."""
    number = _amount(value)
    if number is None or name in {"success", "succeeded", "won", "win", "failed", "lost"}:
        return None
    return -abs(number) if name == "loss" else number


def _amount(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str) and (found := _AMOUNT.match(value.strip())):
        return float(found[1].replace(",", "")) * (-1 if value.strip().startswith("-") else 1)
    return None
