"""decay: how present the memories are, and which of the lessons fade."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import Job, Trigger
from glymph.prune.fading_alerts import find_fading
from glymph.upkeep.overview import health

STATES = ("active", "weak", "dormant", "archived", "trashed")


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    found = health(ctx)
    counts = {name: getattr(found, name) for name in STATES}
    return {**counts, "fading": [one.id for one in find_fading(ctx)]}


JOB = Job(name="decay", every="decay_hours", order=70, run=run)
