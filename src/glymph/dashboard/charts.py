"""Pictures as numbers: a template draws them as SVG, in the colours of the style sheet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import numpy as np

from glymph.decay.fsrs import ACTIVE_FROM, WEAK_FROM
from glymph.decay.lifecycle import Curves, retrievability
from glymph.model import Memory
from glymph.moments import micros
from glymph.upkeep.overview import Flow

WIDTH, HEIGHT = 640, 160
POINTS = 80
LONGEST_AHEAD = 730  # days


@dataclass(frozen=True, slots=True)
class Bar:
    """A week: what came in above the line, what was put away below it."""

    x: float
    width: float
    added_y: float
    added: float
    left_y: float
    left: float
    told: str


@dataclass(frozen=True, slots=True)
class FlowChart:
    """The growth and the forgetting of a space, week by week."""

    width: int
    height: int
    middle: float
    bars: tuple[Bar, ...]
    first: datetime
    last: datetime
    added: int
    left: int


def draw_flow(flows: Sequence[Flow]) -> FlowChart | None:
    """Returns the picture of what came and went; None where nothing ever did."""
    if not any(flow.added or flow.left for flow in flows):
        return None
    most = max(max(flow.added, flow.left) for flow in flows)
    below = max(flow.left for flow in flows) / most
    middle = HEIGHT * (1 / (1 + max(below, 0.12)))
    unit, step = (middle - 2) / most, WIDTH / len(flows)
    bars = tuple(
        Bar(
            round(number * step + step * 0.12, 2), round(step * 0.76, 2),
            round(middle - flow.added * unit, 2), round(flow.added * unit, 2),
            round(middle + 1.5, 2), round(min(flow.left * unit, HEIGHT - middle - 2), 2),
            f"Week of {flow.start:%-d %B %Y}: {flow.added:,} added, {flow.left:,} put away",
        )
        for number, flow in enumerate(flows)
    )  # fmt: skip
    return FlowChart(
        WIDTH, HEIGHT, round(middle, 2), bars, flows[0].start, flows[-1].start,
        sum(flow.added for flow in flows), sum(flow.left for flow in flows),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tick:
    """A week of a timeline."""

    x: float
    width: float
    height: float
    first: date
    last: date
    count: int


def draw_timeline(weeks: Sequence[tuple[datetime, int]]) -> tuple[Tick, ...]:
    """Returns a bar for each week in which memories came, in a box of 100 by 100."""
    most = max((count for _, count in weeks), default=0)
    step = 100 / max(1, len(weeks))
    return tuple(
        Tick(
            round(number * step, 3), round(step * 0.8, 3), round(max(8, 100 * count / most), 2),
            start.date(), (start + timedelta(days=6)).date(), count,
        )
        for number, (start, count) in enumerate(weeks)
        if count
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class DecayChart:
    """The presence of a memory in the days ahead, if nobody uses it."""

    width: int
    height: int
    line: str
    area: str
    active_y: float
    weak_y: float
    days: int
    weak_in: int | None  # days until it is no longer ACTIVE; None: it is not, or never will be
    dormant_in: int | None


def draw_decay(memory: Memory, curves: Curves, now: datetime) -> DecayChart:
    """Returns the curve that a memory fades by."""

    def presence(days: Sequence[float]) -> list[float]:
        ahead = [micros(now + timedelta(days=day)) for day in days]
        anchor = micros(memory.last_used_at or memory.created_at)
        return [
            float(
                retrievability(
                    curves=curves, kinds=[memory.kind], sections=[memory.section.value],
                    stability=[memory.stability], anchors=[anchor], now=moment,
                )[0]
            )
            for moment in ahead
        ]  # fmt: skip

    every = list(range(0, LONGEST_AHEAD + 1, 5))
    values = presence(every)
    weak = next((day for day, v in zip(every, values, strict=True) if v < ACTIVE_FROM), None)
    dormant = next((day for day, v in zip(every, values, strict=True) if v < WEAK_FROM), None)
    days = min(LONGEST_AHEAD, max(60, 2 * (dormant or weak or 180)))
    shown = presence(np.linspace(0, days, POINTS).tolist())
    points = [
        f"{WIDTH * number / (POINTS - 1):.1f},{HEIGHT * (1 - value):.1f}"
        for number, value in enumerate(shown)
    ]
    line = " ".join(points)
    return DecayChart(
        WIDTH, HEIGHT, line, f"0,{HEIGHT} {line} {WIDTH},{HEIGHT}",
        round(HEIGHT * (1 - ACTIVE_FROM), 1), round(HEIGHT * (1 - WEAK_FROM), 1), days,
        weak if weak else None, dormant if dormant else None,
    )  # fmt: skip
