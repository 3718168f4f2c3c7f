"""embed: vectors for what was added without one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.steps import Session, Step
from glymph.write.backfill import backfill


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    if ctx.meaning.embedder is None:
        return {"skipped": "no embedder"}
    return {"embedded": max(backfill(ctx), default=0)}


STEP = Step("embed", 20, run)
