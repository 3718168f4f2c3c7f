"""embed: vectors for what was added without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SESSION_END, SKIPPED, STOPPED, Job, Trigger
from glymph.write.backfill import backfill


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    if ctx.embedding.embedder is None:
        return {SKIPPED: "no embedder"}
    done = 0
    for done in backfill(ctx):
        if trigger.stop.is_set():
            return {STOPPED: True, "embedded": done}
    return {"embedded": done}


JOB = Job(name="embed", on=SESSION_END, every="embed_hours", order=20, run=run)
