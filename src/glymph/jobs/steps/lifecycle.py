"""lifecycle: what has faded and is not needed steps back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.context import Context
from glymph.jobs.steps import Session, Step
from glymph.prune.lifecycle import lifecycle


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    done = lifecycle(ctx, if_needed=True)
    if not done.ran:
        return {"skipped": done.why}
    return {"archived": len(done.archived), "trashed": len(done.trashed), "purged": done.purged}


STEP = Step("lifecycle", 40, run)
