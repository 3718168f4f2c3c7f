"""ai_prune: a language model nominates what may go, code decides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.steps import Session, Step
from glymph.prune.ai_prune import ai_prune


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    if ctx.model is None:
        return {"skipped": "no language model"}
    done = ai_prune(ctx, if_needed=True)
    if not done.ran:
        return {"skipped": done.why}
    told: dict[str, Any] = {
        "archived": len(done.archived),
        "shown": done.shown,
        "capped": done.capped,
    }
    told["cost_usd"] = done.cost_usd
    if (
        not done.complete
    ):  # it stays due, so the next session asks again; at once would only cost more
        told |= {
            "failed_batches": len(done.failed_batches),
            "unasked": done.unasked,
            "stopped": done.stopped,
        }
    return told


STEP = Step("ai_prune", 50, run)
