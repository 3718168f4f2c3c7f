"""consolidate: what many episodes have in common becomes a lesson, once a day."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.steps import Session, Step
from glymph.learn.consolidate import consolidate


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    done = consolidate(ctx, if_needed=True)
    return {**done.stats, "cost_usd": done.cost_usd} if done.ran else {"skipped": done.why}


STEP = Step("consolidate", 60, run)
