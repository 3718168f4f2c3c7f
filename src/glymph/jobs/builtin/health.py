"""health: can the space be worked with? Figures that cost little."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import Job, Trigger
from glymph.upkeep.status import measure_condition


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    return measure_condition(ctx)


JOB = Job(name="health", every="health_hours", order=12, run=run)
