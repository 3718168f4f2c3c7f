"""The presence of memories at a moment: retrievability and lifecycle, for one or a million."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from glymph.decay import fsrs
from glymph.decay.sections import SECTIONS, Section, kind_profile
from glymph.model import Lifecycle, State
from glymph.moments import MICROS_PER_DAY

_ROUNDING = 1e-12  # so that a memory is ACTIVE up to and including the very end of its stability


@dataclass(frozen=True, slots=True)
class Curve:
    """The fading of a section: its exponent, and the factor for reading stored stabilities."""

    decay: float
    scale: float = 1.0


Curves = Mapping[Section, Curve]

DEFAULT_CURVES: Curves = {section: Curve(profile.decay) for section, profile in SECTIONS.items()}


def retrievability(
    *,
    curves: Curves,
    kinds: list[str],
    sections: list[str],
    stability: list[float],
    anchors: list[int],
    now: int,
) -> NDArray[np.float64]:
    """Retrievability of each memory; kinds that do not decay stay at one.

    `curves` are those the space fades by: the sections' own, unless it has adopted others.
    `anchors` are the moments of the last use, or of creation where there was none.
    """
    days = (now - np.asarray(anchors, dtype=np.float64)) / MICROS_PER_DAY
    decays = {section.value: curve.decay for section, curve in curves.items()}
    scales = {section.value: curve.scale for section, curve in curves.items()}
    exponents = np.asarray([decays[section] for section in sections])
    lasting = np.asarray(stability, dtype=np.float64) * np.asarray(
        [scales[section] for section in sections]
    )
    values = fsrs.retrievability(days, lasting, exponents)
    lasts = {kind: not kind_profile(kind).decays for kind in set(kinds)}
    return np.where(np.asarray([lasts[kind] for kind in kinds], dtype=bool), 1.0, values)


def is_active(values: ArrayLike) -> NDArray[np.bool_]:
    """Tells of each retrievability whether it is that of an ACTIVE memory."""
    return np.asarray(np.asarray(values) >= fsrs.ACTIVE_FROM - _ROUNDING)


def is_awake(values: ArrayLike) -> NDArray[np.bool_]:
    """Tells of each retrievability whether it is that of an ACTIVE or a WEAK memory."""
    return np.asarray(np.asarray(values) >= fsrs.WEAK_FROM - _ROUNDING)


@dataclass(frozen=True, slots=True)
class Span:
    """How many times its stability a memory stays ACTIVE, and at least WEAK."""

    active: float
    awake: float


def spans(curves: Curves) -> dict[Section, Span]:
    """Returns how long memories of each section keep their stage: what `is_active` says, in days.

    By them a database tells stages apart without taking a power of every row.
    """
    return {
        section: Span(*(
            float(fsrs.days_until(target - _ROUNDING, curve.scale, curve.decay))
            for target in (fsrs.ACTIVE_FROM, fsrs.WEAK_FROM)
        ))
        for section, curve in curves.items()
    }  # fmt: skip


def lifecycle(value: float, state: str) -> Lifecycle:
    """ACTIVE, WEAK or DORMANT; what is not live always reads DORMANT."""
    if state != State.LIVE:
        return Lifecycle.DORMANT
    if value >= fsrs.ACTIVE_FROM - _ROUNDING:
        return Lifecycle.ACTIVE
    return Lifecycle.WEAK if value >= fsrs.WEAK_FROM - _ROUNDING else Lifecycle.DORMANT
