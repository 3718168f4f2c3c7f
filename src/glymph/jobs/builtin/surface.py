"""surface: the digest for the next session, made last, when everything else is done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.job import SESSION_END, Job, Trigger
from glymph.jobs.project import digest_tokens
from glymph.learn.surface import surface
from glymph.text.tokens import tokens


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    """Makes the digest in the size with which a session of this space begins."""
    return {"tokens": tokens(surface(ctx, digest_tokens(ctx.space)))}


JOB = Job(
    name="surface",
    on=SESSION_END,
    every="surface_hours",
    order=90,
    run=run,
    after_changes=True,
)
