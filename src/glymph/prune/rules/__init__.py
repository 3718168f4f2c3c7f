"""Why a memory may go: one rule a file, each with a sentence when it fires and one of four reasons.

A new rule is a new file here with a `RULE`; everything that names reasons picks it up.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

from glymph.model import Lifecycle

Reason = Literal["staleness", "low_alignment", "redundancy", "orphan"]
REASONS: tuple[Reason, ...] = get_args(Reason)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What rules know of a memory. `alignment` is None without goals, `redundancy` the share said
    elsewhere.
    """

    lifecycle: Lifecycle
    age_days: float
    days_since_use: float
    access_count: int
    connections: int
    expired: bool = False
    superseded: bool = False
    alignment: float | None = None
    redundancy: float = 0.0
    repeats: str = ""  # the title of the memory that says the same
    group_dormant: float = 0.0  # share of its group that is DORMANT
    group_size: int = 1


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on a rule fires."""

    stale_days: float = 30.0
    alignment: float = 0.4


@dataclass(frozen=True, slots=True)
class Rule:
    name: str
    reason: Reason
    rank: int  # of several rules that fire, the lowest gives the reason
    fires: Callable[[Candidate, Thresholds], str | None]


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, the most telling first."""
    modules = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}").RULE for name in modules]
    return tuple(sorted(found, key=lambda rule: (rule.rank, rule.name)))


def fired(candidate: Candidate, thresholds: Thresholds | None = None) -> list[tuple[Rule, str]]:
    """The rules that fire, the most telling first, each with its sentence."""
    least = thresholds or Thresholds()
    told = ((rule, rule.fires(candidate, least)) for rule in rules())
    return [(rule, why) for rule, why in told if why is not None]


def reason_of(candidate: Candidate, thresholds: Thresholds | None = None) -> Reason | None:
    """The one reason for which a memory may go, if there is any."""
    found: Sequence[tuple[Rule, str]] = fired(candidate, thresholds)
    return found[0][0].reason if found else None
