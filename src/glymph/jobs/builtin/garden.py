"""garden: faded links are dropped, what is said twice becomes one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import Job, Trigger
from glymph.prune.garden import garden


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    done = garden(ctx)
    report = {"links_dropped": done.links, "merged": done.archived, "orphans": done.orphan_count}
    return {"held_back": done.held_back, **report} if done.held_back else report


JOB = Job(name="garden", every="garden_hours", order=55, run=run)
