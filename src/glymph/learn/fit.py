"""Fits the space's forgetting curves to its own recall log, and adopts them if they are better.

An adopted curve is a setting of the space: it changes how stored figures are read, never the
figures. Nothing is journalled, and `reset` is the way back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from glymph.context import Context
from glymph.decay.fit import Fit, Observation, fit_section
from glymph.decay.lifecycle import DEFAULT_CURVES
from glymph.decay.sections import Section
from glymph.errors import InvalidInput
from glymph.model import Outcome
from glymph.moments import AHEAD, MICROS_PER_DAY, micros
from glymph.store.contract import Row

USES = (Outcome.USED, Outcome.CONFIRMED)


def fit(ctx: Context, *, apply: bool = False, reset: bool = False) -> Fit:
    """Returns what the recall log says of each section's curve.

    It writes nothing unless asked to adopt or to reset. What is adopted is what was measured: the
    curve fitted to the earlier days, compared with the one in force on the newest. So adopting
    again without new reports finds nothing better.
    """
    if apply and reset:
        raise InvalidInput(
            "reset", "curves are adopted or taken back, not both. Pass apply or reset."
        )
    if reset:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.drop_curves()
    with ctx.reading() as reader:
        in_force = reader.curves()
        upto = micros(ctx.now()) + AHEAD
        recalls = reader.recalls(limit=ctx.settings.recall_log_size)
        seen = observations(row for row in recalls if row["at"] <= upto)
    sections = tuple(
        fit_section(section, seen[section], before=in_force[section]) for section in Section
    )
    better = {
        found.section: found.after for found in sections if found.better and found.after is not None
    }
    if apply and better:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.adopt_curves(better, at=micros(ctx.now()))
            in_force = writer.curves()
    adopted = tuple(section for section in Section if in_force[section] != DEFAULT_CURVES[section])
    return Fit(sections, adopted)


def observations(recalls: Iterable[Row]) -> dict[Section, list[Observation]]:
    """Returns each memory that a reported recall showed, by section.

    A recall that nobody reported on says nothing.
    """
    seen: dict[Section, list[Observation]] = {section: [] for section in Section}
    for row in recalls:
        reported = json.loads(row["reported"])
        if not reported or row["figures"] is None:
            continue
        day = row["at"] // MICROS_PER_DAY
        shown = zip(json.loads(row["shown"]), json.loads(row["figures"]), strict=False)
        for memory_id, figures in shown:
            if figures is not None:
                section, days, stability = figures
                used = reported.get(memory_id) in USES
                seen[Section(section)].append(Observation(day, days, stability, used))
    return seen
