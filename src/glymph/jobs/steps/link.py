"""link: what is new is joined to what is near."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.steps import Session, Step
from glymph.write.autolink import link_new


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    if ctx.meaning.embedder is None:
        return {"skipped": "no embedder"}
    found = link_new(ctx)
    return {"examined": found.examined, "linked": found.linked}


STEP = Step("link", 30, run)
