"""idle: low-value work while nobody recalls, which ends at once when somebody does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SKIPPED, STOPPED, Job, Trigger
from glymph.prune.idle import clear_idle, newest_recall


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    stop, began = trigger.stop, _newest(ctx)
    done = clear_idle(
        ctx, now=ctx.now(), agent_is_back=lambda: stop.is_set() or _newest(ctx) != began
    )
    if not done.ran:
        return {SKIPPED: done.why}
    merged = sum(len(one.parts) for one in done.merged)
    report = {"links_dropped": done.links_dropped, "merged": merged}
    if done.yielded and stop.is_set():
        return {STOPPED: True, **report}
    return {"yielded": True, **report} if done.yielded else report


def _newest(ctx: Context) -> int:
    with ctx.reading() as reader:
        return newest_recall(reader)


JOB = Job(name="idle", every="idle_hours", order=80, run=run)
