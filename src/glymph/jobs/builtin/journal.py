"""journal: folds what is older than the journal reaches, so that it does not grow for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SKIPPED, STOPPED, Job, Trigger
from glymph.upkeep.fold import fold_if_sure


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    done = fold_if_sure(ctx, trigger.stop)
    if done is None:
        return {SKIPPED: "the clock has leapt since the last look; the next one folds"}
    report = {"entries_folded": done.entries, "operations_folded": done.operations}
    return {STOPPED: True, **report} if trigger.stop.is_set() else report


JOB = Job(name="journal", every="journal_hours", order=75, run=run)
