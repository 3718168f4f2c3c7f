"""The effect of a reported use on the figures of a memory.

The FSRS rule is applied once a day, and better outcomes within the day count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from glymph.decay import fsrs
from glymph.decay.fsrs import Rating
from glymph.decay.lifecycle import Curves
from glymph.decay.sections import SECTIONS, Section
from glymph.model import Outcome
from glymph.moments import MICROS_PER_DAY

RATINGS: Mapping[Outcome, Rating] = {
    Outcome.CONTRADICTED: Rating.AGAIN,
    Outcome.USED: Rating.GOOD,
    Outcome.CONFIRMED: Rating.EASY,
}


def apply_use(
    row: Mapping[str, Any], outcome: Outcome, now: int, *, curves: Curves
) -> dict[str, Any]:
    """Returns the changed figures of a memory row after a reported use.

    The first report in 24 hours applies the rule; the birth of a memory counts as a report. Later
    ones count as uses, but move stability and difficulty only when they carry a better outcome:
    then the rule is applied anew to the figures from before.

    How far the memory had faded by then is read from the space's curve, as everywhere; the
    stability that grows is the stored one, so an adopted curve changes what a use is worth and
    never the figures by itself.
    """
    rating = RATINGS[outcome]
    figures: dict[str, Any] = {"last_used_at": now, "access_count": row["access_count"] + 1}
    last = json.loads(row["review"]) if row["review"] else None
    since = last[0] if last else row["created_at"]
    if now - since >= MICROS_PER_DAY:
        at, stability, difficulty = now, row["stability"], row["difficulty"]
    elif last is not None and rating > last[1]:
        at, _, stability, difficulty, since = last
    else:
        return figures
    section = Section(row["section"])
    curve = curves[section]
    days = (at - since) / MICROS_PER_DAY
    grown = fsrs.next_stability(
        stability, difficulty, rating, days=days, decay=curve.decay, scale=curve.scale
    )
    figures["stability"] = min(float(grown), SECTIONS[section].max_stability)
    figures["difficulty"] = float(fsrs.next_difficulty(difficulty, rating))
    figures["review"] = json.dumps([at, int(rating), stability, difficulty, since])
    return figures
