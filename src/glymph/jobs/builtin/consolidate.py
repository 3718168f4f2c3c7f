"""consolidate: what many episodes have in common becomes a lesson, once a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SESSION_END, SKIPPED, STOPPED, Job, Trigger
from glymph.learn.consolidate import consolidate


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    done = consolidate(ctx, if_needed=True, cancel=trigger.stop)
    if not done.ran:
        return {SKIPPED: done.why}
    summaries = {"summaries_written": done.summaries_written} if done.summaries else {}
    report = {**done.stats, **summaries, "cost_usd": done.cost_usd}
    told: list[tuple[str, str]] = [(one.ending, one.why) for one in done.groups]
    told += [(one.ending, one.why) for one in done.summaries]
    if trigger.stop.is_set() and any(ending == "waiting" for ending, _ in told):
        return {STOPPED: True, **report}
    failed = [why for ending, why in told if ending == "failed"]
    return {**trigger.tell_failure(failed[0]), **report} if failed else report


JOB = Job(
    name="consolidate",
    on=SESSION_END,
    every="consolidation_hours",
    order=60,
    run=run,
    scheduled_as="consolidation",
)
