"""Fitting a section's forgetting curve to what was shown and what of it was used.

The model: a memory that is shown is used with the probability c · R(t). R is the forgetting curve
with exponent d over the stability times a scale k; c, the share of shown memories that are of use
at all, is fitted along with every curve and belongs to none. A curve is judged by its log loss on
the newest days, which it was not fitted to.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from glymph.decay import fsrs
from glymph.decay.fsrs import Floats
from glymph.decay.lifecycle import DEFAULT_CURVES, Curve
from glymph.decay.minimise import Point, minimise, minimise_several
from glymph.decay.sections import Section

ENOUGH = 100  # observations in a section,
ENOUGH_OF_EACH = 10  # of them used, and as many not,
ENOUGH_DAYS = 4  # on so many days
HELD_OUT = 0.25  # of the days, the newest
BETTER_BY = 1e-3  # of log loss on the held-out days
DECAYS = (0.05, 1.5)
SCALES = (0.1, 10.0)
SHARES = (1e-3, 1.0)
# The prior: exponent and scale are the section's own, give or take a factor of e^0.5.
SPREAD = 0.5
SURE = 1e-6  # no outcome is held for more certain than this


@dataclass(frozen=True, slots=True)
class Observation:
    """A memory that was shown and reported on.

    It tells on which day, how long after its last use, and whether it was used.
    """

    day: int  # UTC, counted from any fixed one
    days: float
    stability: float
    used: bool


@dataclass(frozen=True, slots=True)
class SectionFit:
    """The fit of a section's curve to the recall log.

    `after` and the log losses are None where the log says too little. The log losses are those of
    `before`, the curve in force, and of `after` on the held-out days.
    """

    section: Section
    observations: int
    used: int
    days: int
    before: Curve
    after: Curve | None
    log_loss_before: float | None
    log_loss_after: float | None
    better: bool
    note: str


@dataclass(frozen=True, slots=True)
class Fit:
    """Every section's fit, and the sections of the space that fade by an adopted curve now."""

    sections: tuple[SectionFit, ...]
    adopted: tuple[Section, ...]


def fit_section(section: Section, seen: Sequence[Observation], *, before: Curve) -> SectionFit:
    """Returns the section's curve fitted to the earlier days.

    It is compared with the one in force on the newest days.
    """
    dates = sorted({o.day for o in seen})
    used = sum(o.used for o in seen)
    missing = _explain_missing(len(seen), used, len(dates))
    if missing:
        note = f"not enough yet: {missing}"
        return SectionFit(
            section, len(seen), used, len(dates), before, None, None, None, False, note
        )
    cut = dates[-max(1, int(len(dates) * HELD_OUT))]
    earlier, newest = (
        _Sample.of(o for o in seen if (o.day >= cut) is late) for late in (False, True)
    )
    after, share = _best_curve(earlier, prior=DEFAULT_CURVES[section])
    loss_before = newest.log_loss(before, _best_share(earlier, before))
    loss_after = newest.log_loss(after, share)
    better = loss_before - loss_after > BETTER_BY
    note = "better on the held-out days" if better else "no better on the held-out days"
    return SectionFit(
        section, len(seen), used, len(dates), before, after, loss_before, loss_after, better, note
    )


def is_plausible(curve: Curve) -> bool:
    """Tells whether a curve is one that a fit can find."""
    return DECAYS[0] <= curve.decay <= DECAYS[1] and SCALES[0] <= curve.scale <= SCALES[1]


def _explain_missing(seen: int, used: int, days: int) -> str:
    """Names what there is too little of, as "37 of 100 observations"; empty if enough."""
    if not seen:
        return f"0 of {ENOUGH} observations"
    counts = (
        (seen, ENOUGH, "observations"),
        (used, ENOUGH_OF_EACH, "used"),
        (seen - used, ENOUGH_OF_EACH, "not used"),
        (days, ENOUGH_DAYS, "days"),
    )
    return ", ".join(f"{have} of {need} {what}" for have, need, what in counts if have < need)


@dataclass(frozen=True, slots=True)
class _Sample:
    """Observations in columns."""

    days: Floats
    stability: Floats
    used: Floats

    @classmethod
    def of(cls, seen: Iterable[Observation]) -> Self:
        rows = np.asarray([(o.days, o.stability, o.used) for o in seen], dtype=np.float64)
        return cls(rows[:, 0], rows[:, 1], rows[:, 2])

    def log_loss(self, curve: Curve, share: float) -> float:
        """Returns the mean of −ln of the probability that was given to what came."""
        chance = share * fsrs.retrievability(self.days, self.stability * curve.scale, curve.decay)
        chance = np.clip(chance, SURE, 1.0 - SURE)
        return -float(np.mean(self.used * np.log(chance) + (1.0 - self.used) * np.log1p(-chance)))


def _best_share(sample: _Sample, curve: Curve) -> float:
    return minimise(lambda share: sample.log_loss(curve, share), SHARES)


def _best_curve(sample: _Sample, *, prior: Curve) -> tuple[Curve, float]:
    """Returns the curve and share of least loss, where leaving the prior costs.

    Few observations change little.
    """

    def parts(at: Point) -> tuple[Curve, float]:
        own, scale, share = map(math.exp, at)
        return Curve(_within(own, DECAYS), _within(scale, SCALES)), _within(share, SHARES)

    def cost(at: Point) -> float:
        curve, share = parts(at)
        distance = (
            math.log(curve.decay / prior.decay) ** 2 + math.log(curve.scale / prior.scale) ** 2
        )
        return sample.log_loss(curve, share) + distance / (2.0 * SPREAD**2) / len(sample.used)

    bounds = [(math.log(low), math.log(high)) for low, high in (DECAYS, SCALES, SHARES)]
    start = [math.log(prior.decay), math.log(prior.scale), math.log(_best_share(sample, prior))]
    return parts(minimise_several(cost, start, bounds))


def _within(value: float, bounds: tuple[float, float]) -> float:
    return min(max(value, bounds[0]), bounds[1])
