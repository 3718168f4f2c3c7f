"""ai_prune: a language model nominates what may go, code decides."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import FAILED, SKIPPED, STOPPED, Chore
from glymph.prune.ai_prune import ai_prune


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    if ctx.model is None:
        return {SKIPPED: "no language model"}
    done = ai_prune(ctx, if_needed=True)
    if not done.ran:
        return {SKIPPED: done.why}
    told = {"archived": len(done.archived), "shown": done.shown, "cost_usd": done.cost_usd}
    if stop.is_set() and not done.complete:
        return {STOPPED: True, **told}
    if done.failed_batches:
        return {FAILED: done.failed_batches[0].problem, **told}
    return {"held_back": done.stopped, **told} if done.stopped else told


CHORE = Chore("ai_prune", timedelta(hours=2), 50, run)
