"""Spreading activation along links, hop by hop.

What was found lends some of its weight to what it is linked with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from glymph.decay.edges import DEFAULT_WEIGHTS, effective_weight
from glymph.moments import MICROS_PER_DAY

HOPS = 3
HOP_DECAY = 0.8
FLOOR = 0.01  # activation below this goes no further
MOST_NODES = 500
# Who finds the older of two must see the newer. Where it is in doubt whether one replaces the
# other, the link only orders them: such links are many, and would crowd out what answers.
REPLACING = "supersedes"
LIKELY = DEFAULT_WEIGHTS[REPLACING]  # the weight of one that says so without much doubt

# source, target, type, weight, created, last used
Link = tuple[int, int, str, float, int, int | None]


@dataclass(frozen=True, slots=True)
class Reached:
    """The way activation came to a memory: from which other one, over which link."""

    activation: float
    source: int
    type: str
    weight: float
    hop: int


def spread(
    frontier: Mapping[int, float], links: Iterable[Link], *, hop: int, now: int
) -> dict[int, Reached]:
    """Returns the strongest activation each memory gets over one hop.

    Links are followed in either direction. A link counts with the weight it has today;
    one that doubtfully replaces counts for nothing.
    """
    reached: dict[int, Reached] = {}
    for source, target, kind, weight, created_at, last_used_at in links:
        if kind == REPLACING and weight < LIKELY:
            continue
        days = (now - (created_at if last_used_at is None else last_used_at)) / MICROS_PER_DAY
        today = effective_weight(weight, kind, days)
        for here, there in ((source, target), (target, source)):
            activation = frontier.get(here, 0.0) * today * HOP_DECAY
            known = reached.get(there)
            if activation >= FLOOR and (known is None or activation > known.activation):
                reached[there] = Reached(activation, here, kind, today, hop)
    return reached


def strongest(reached: Mapping[int, Reached], most: int) -> dict[int, Reached]:
    """At most so many of the memories reached, the most active of them."""
    ranked = sorted(reached.items(), key=lambda item: (-item[1].activation, item[0]))
    return dict(ranked[:most])


def path(key: int, reached: Mapping[int, Reached]) -> list[tuple[int, Reached]]:
    """Returns the way activation took, from the memory that was found to this one.

    Each step's memory and its link.
    """
    steps = [(key, reached[key])]
    while steps[-1][1].hop > 1:
        key = steps[-1][1].source
        steps.append((key, reached[key]))
    return steps[::-1]
