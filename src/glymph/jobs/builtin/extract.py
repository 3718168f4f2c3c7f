"""extract: what the session said that will matter later."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from glymph.context import Context
from glymph.errors import GlymphError
from glymph.jobs.job import SESSION_END, SKIPPED, STOPPED, Job, Trigger
from glymph.learn.extract import extract


def run(ctx: Context, trigger: Trigger) -> Mapping[str, Any]:
    """Reads the transcript to its end, part by part.

    What cannot be read now is an error, so it is tried again. What was kept until then stays, and
    the next attempt goes on behind it.
    """
    session = trigger.session
    if session is None or session.transcript is None:
        return {SKIPPED: "no transcript"}
    path = Path(session.transcript).expanduser()
    if not path.is_file():
        return {SKIPPED: f"the transcript {path} is not there"}
    report = dict.fromkeys(("turns", "added", "known", "refused", "passed_over"), 0)
    while True:
        done = extract(ctx, path, session=session.id)
        if done.problem is not None:
            raise GlymphError(done.problem)
        counts = (done.turns, done.created, done.known, len(done.refused), done.failed)
        report = {name: report[name] + count for name, count in zip(report, counts, strict=True)}
        if not done.more or done.offset_to == done.offset_from:
            return {"by": done.by, **report}
        if trigger.stop.is_set():
            return {STOPPED: True, **report}


JOB = Job(name="extract", on=SESSION_END, order=10, run=run)
