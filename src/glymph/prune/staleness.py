"""Staleness of memories and groups: four named parts, each from 0 to 1, and their weighted sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from glymph.decay import fsrs
from glymph.decay.lifecycle import Curves
from glymph.decay.sections import kind_profile
from glymph.moments import MICROS_PER_DAY
from glymph.store.arrays import NEVER, SECTIONS, Flags, Floats, Slots

WEIGHTS: Mapping[str, float] = {"faded": 0.35, "asleep": 0.25, "unused": 0.25, "seldom": 0.15}
FULL_FALL = 0.5  # of retrievability: the power curve flattens, so a fall by one half counts in full
FULL_DISUSE = 90.0  # days
FULL_USE = 20.0  # uses from which a memory is not seldom used at all
UNKNOWN = 0.5  # the part of whatever is not known
_ROUNDING = 1e-12  # as for one memory: ACTIVE up to and including the very end of its stability


@dataclass(frozen=True, slots=True)
class Staleness:
    """The parts of many scores, one place for each memory or group.

    faded: how far mean retrievability has fallen. asleep: the share that is WEAK or DORMANT.
    unused: the time since the newest use. seldom: how far the mean of uses stays below twenty.
    """

    faded: Floats
    asleep: Floats
    unused: Floats
    seldom: Floats

    @property
    def score(self) -> Floats:
        total = sum(weight * getattr(self, name) for name, weight in WEIGHTS.items())
        return np.clip(np.asarray(total, dtype=np.float64), 0.0, 1.0)

    def at(self, places: Slots | int) -> Staleness:
        """Returns the same for some of them."""
        return Staleness(*(np.asarray(getattr(self, name)[places]) for name in WEIGHTS))

    def parts(self, place: int) -> dict[str, float]:
        """Returns what each part adds to one score."""
        return {
            name: weight * float(getattr(self, name)[place]) for name, weight in WEIGHTS.items()
        }


@dataclass(frozen=True, slots=True)
class Vitals:
    """The figures that staleness is made of, for each memory. NaN is unknown."""

    retrievability: Floats
    days: Floats  # since the last reported use, or since creation where there was none
    uses: Floats

    def at(self, slots: Slots) -> Vitals:
        """The same for some of them."""
        return Vitals(self.retrievability[slots], self.days[slots], self.uses[slots])

    @classmethod
    def join(cls, several: Sequence[Vitals]) -> Vitals:
        """Returns those of several groups, one after the other."""
        return cls(
            *(
                np.concatenate([getattr(one, name) for one in several])
                for name in ("retrievability", "days", "uses")
            )
        )


def measure_vitals(
    memories: Mapping[str, NDArray[Any]], kinds: Sequence[str], *, curves: Curves, now: int
) -> Vitals:
    """Returns the figures of memories in columns at a moment; sections fade by the given curves."""
    anchor = np.where(
        memories["last_used_at"] == NEVER, memories["created_at"], memories["last_used_at"]
    )
    days = np.maximum((now - anchor) / MICROS_PER_DAY, 0.0)
    of_section = [curves[section] for section in SECTIONS]
    exponents = np.array([curve.decay for curve in of_section])
    # What multiplies days over stability, worked out for each section and not for each memory.
    factors = fsrs.curve_factor(exponents) / np.array([curve.scale for curve in of_section])
    section = memories["section"]
    values = (1.0 + factors[section] * days / memories["stability"]) ** -exponents[section]
    steady = np.array([not kind_profile(kind).decays for kind in kinds] or [False])
    if steady.any():
        values = np.where(steady[memories["kind"]], 1.0, values)
    return Vitals(values, days, memories["access_count"].astype(np.float64))


def is_active(retrievability: Floats) -> Flags:
    """Marks the memories that are ACTIVE."""
    return np.asarray(retrievability >= fsrs.ACTIVE_FROM - _ROUNDING)


def is_dormant(retrievability: Floats) -> Flags:
    """Marks the memories that are DORMANT."""
    return np.asarray(retrievability < fsrs.WEAK_FROM - _ROUNDING)


def score_memories(found: Vitals) -> Staleness:
    """Returns the staleness of each memory by itself, as that of a group of one."""
    return _parts(found.retrievability, _asleep(found), found.days, found.uses)


def score_groups(found: Vitals, group: Slots, count: int) -> Staleness:
    """Returns the staleness of each of `count` groups, given the group of each memory.

    Means are over what is known. A group about which nothing is known is neutral, as one without
    members is.
    """
    known = _find_known(found.days)
    newest = np.full(count, np.inf)
    np.minimum.at(newest, group[known], found.days[known])
    newest[np.isinf(newest)] = np.nan
    members = np.bincount(group, minlength=count)
    retrievability, asleep, uses = (
        _mean(values, group, members)
        for values in (found.retrievability, _asleep(found), found.uses)
    )
    return _parts(retrievability, asleep, newest, uses)


def score_group(found: Vitals) -> Staleness:
    """Returns the staleness of these memories as one group."""
    return score_groups(found, np.zeros(len(found.days), dtype=np.int64), 1)


def _mean(values: Floats, group: Slots, members: Slots) -> Floats:
    """Returns the mean of what is known in each group; NaN where nothing is."""
    known = _find_known(values)
    if isinstance(known, np.ndarray):
        values, group = values[known], group[known]
        members = np.bincount(group, minlength=len(members))
    total = np.bincount(group, values, len(members))
    return np.asarray(
        np.divide(total, members, out=np.full(len(members), np.nan), where=members > 0)
    )


def _find_known(values: Floats) -> Flags | slice:
    """Marks the values that are known; a slice if all are."""
    unknown = np.isnan(values)
    return ~unknown if unknown.any() else slice(None)


def _asleep(found: Vitals) -> Floats:
    """Returns 1 for what is WEAK or DORMANT, 0 for what is ACTIVE."""
    asleep = (~is_active(found.retrievability)).astype(np.float64)
    asleep[np.isnan(found.retrievability)] = np.nan
    return asleep


def _parts(retrievability: Floats, asleep: Floats, days: Floats, uses: Floats) -> Staleness:
    return Staleness(
        faded=_or_neutral(np.clip((1.0 - retrievability) / FULL_FALL, 0.0, 1.0)),
        asleep=_or_neutral(asleep),
        unused=_or_neutral(np.clip(days / FULL_DISUSE, 0.0, 1.0)),
        seldom=_or_neutral(np.clip(1.0 - uses / FULL_USE, 0.0, 1.0)),
    )


def _or_neutral(values: Floats) -> Floats:
    return np.where(np.isnan(values), UNKNOWN, values)
