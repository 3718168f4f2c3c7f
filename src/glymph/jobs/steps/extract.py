"""extract: what the session said that will matter later."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glymph.context import Context
from glymph.errors import GlymphError
from glymph.jobs.steps import Session, Step
from glymph.learn.extract import extract


def run(ctx: Context, session: Session) -> Mapping[str, Any]:
    """Reads the transcript to its end, part by part. What cannot be read now is an error, so it is
    tried again.

    What was kept until then stays, and the next attempt goes on behind it.
    """
    if session.transcript is None:
        return {"skipped": "no transcript"}
    path = Path(session.transcript).expanduser()
    if not path.is_file():
        return {"skipped": f"the transcript {path} is not there"}
    told = dict.fromkeys(("turns", "added", "known", "refused", "passed_over"), 0)
    while True:
        done = extract(ctx, path, session=session.id)
        if done.problem is not None:
            raise GlymphError(done.problem)
        counts = (done.turns, done.created, done.known, len(done.refused), done.failed)
        told = {name: told[name] + count for name, count in zip(told, counts, strict=True)}
        if not done.more or done.offset_to == done.offset_from:
            return {"by": done.by, **told}


STEP = Step("extract", 10, run)
