"""trash: purges what has been there for its time, and completes certificates that wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.trash import empty, trash
from glymph.jobs.job import Job, Trigger


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    if any(one.expired for one in trash(ctx)):
        return {"purged": len(empty(ctx).succeeded)}
    return {"purged": 0, "certificates": len(complete_certificates(ctx))}


JOB = Job(name="trash", every="trash_hours", order=65, run=run)
