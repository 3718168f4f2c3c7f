"""The stages of a memory by how much it was used, and what they mean for its upkeep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

GROWING, MATURE = 50, 500  # recalls from which a space is in growth, and mature
GROWING_SESSIONS, GROWING_MEMORIES = 5, 50  # either is enough for growth, however few recalls


class Stage(StrEnum):
    """The degree to which a memory has been used.

    The more it has, the more its upkeep may rely on its figures.
    """

    INFANCY = "infancy"
    GROWTH = "growth"
    MATURITY = "maturity"


@dataclass(frozen=True, slots=True)
class Policy:
    """The rules for upkeep in a stage."""

    ai_prune_sessions: int | None  # between two looks by a model; None: it does not look by itself
    min_staleness_days: int  # without use, from which a memory counts as stale


def find_policy(stage: Stage, *, sessions: int) -> Policy:
    """Returns the rules of a stage, where so many sessions lie between two looks by a model."""
    if stage is Stage.INFANCY:
        return Policy(None, 30)
    if stage is Stage.GROWTH:
        return Policy(max(1, sessions), 30)
    return Policy(max(1, math.ceil(0.6 * sessions)), 21)


def stage(recalls: int, *, sessions: int, memories: int) -> Stage:
    """Returns the stage of a space after so many recalls and sessions, with so many memories."""
    if recalls >= MATURE:
        return Stage.MATURITY
    grown = sessions >= GROWING_SESSIONS or memories >= GROWING_MEMORIES
    return Stage.GROWTH if recalls >= GROWING or grown else Stage.INFANCY
