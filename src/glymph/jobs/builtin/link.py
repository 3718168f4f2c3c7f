"""link: what is new is joined to what is near, or names the same where nothing tells what is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SESSION_END, Job, Trigger
from glymph.write.autolink import link_new
from glymph.write.link_by_names import link_by_names


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    if ctx.embedding.embedder is None:
        return {"linked": link_by_names(ctx)}
    found = link_new(ctx)
    return {"examined": found.examined, "linked": found.linked}


JOB = Job(name="link", on=SESSION_END, order=30, run=run)
