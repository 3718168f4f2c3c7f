"""ai_prune: a language model nominates what may go, code decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SESSION_END, SKIPPED, STOPPED, Job, Trigger
from glymph.prune.ai_prune import ai_prune


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    if ctx.model is None:
        return {SKIPPED: "no language model"}
    done = ai_prune(ctx, if_needed=True)
    if not done.ran:
        return {SKIPPED: done.why}
    report = {"archived": len(done.archived), "shown": done.shown, "cost_usd": done.cost_usd}
    if trigger.stop.is_set() and not done.complete:
        return {STOPPED: True, **report}
    if done.failed_batches:
        return {**trigger.tell_failure(done.failed_batches[0].problem), **report}
    return {"held_back": done.stopped, **report} if done.stopped else report


JOB = Job(name="ai_prune", on=SESSION_END, every="ai_prune_hours", order=50, run=run)
