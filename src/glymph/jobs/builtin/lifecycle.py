"""lifecycle: what has faded and is not needed steps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SESSION_END, SKIPPED, Job, Trigger
from glymph.prune.lifecycle import lifecycle


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    done = lifecycle(ctx, if_needed=True)
    if not done.ran:
        return {SKIPPED: done.why}
    return {"archived": len(done.archived), "trashed": len(done.trashed), "purged": done.purged}


JOB = Job(name="lifecycle", on=SESSION_END, every="lifecycle_hours", order=40, run=run)
