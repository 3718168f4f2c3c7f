"""conflicts: where nobody decided in time, both statements are kept."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.job import Job, Trigger
from glymph.undo.restore import MAX_BATCH
from glymph.write.conflicts import conflicts, list_expired, resolve


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    late = list_expired(ctx)[:MAX_BATCH]  # the rest has its turn at the next run
    settled = len(resolve(ctx, late, "keep_both").succeeded) if late else 0
    return {"open": len(conflicts(ctx)), "kept_both": settled}


JOB = Job(name="conflicts", every=timedelta(minutes=30), order=15, run=run)
