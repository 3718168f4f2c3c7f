"""The stages of a memory by how often it was asked, and what they mean for its upkeep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

GROWING, MATURE = 50, 500  # recalls from which a space is in growth, and mature


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

    ai_prune_sessions: (
        int | None
    )  # sessions between two looks by a model; None: it does not look by itself
    min_staleness_days: int  # without use, from which a memory counts as stale


POLICIES: Mapping[Stage, Policy] = {
    Stage.INFANCY: Policy(None, 30),
    Stage.GROWTH: Policy(5, 30),
    Stage.MATURITY: Policy(3, 21),
}


def stage(recalls: int) -> Stage:
    """Returns the stage of a space after so many recalls."""
    if recalls < GROWING:
        return Stage.INFANCY
    return Stage.GROWTH if recalls < MATURE else Stage.MATURITY
