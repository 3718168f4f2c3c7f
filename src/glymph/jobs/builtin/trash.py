"""trash: purges what has been there for its time, so much a day, and completes certificates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.trash import empty, trash
from glymph.jobs.job import Job, Trigger


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    if expired := sum(one.expired for one in trash(ctx)):
        purged = len(empty(ctx, attended=False).succeeded)
        return {"purged": purged, "waiting": expired - purged}
    return {"purged": 0, "certificates": len(complete_certificates(ctx))}


JOB = Job(name="trash", every="trash_hours", order=65, run=run)
