"""The pipeline of a job: its steps in order, each noted when it is done, so that another worker can
go on.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Sequence

from glymph.context import Context
from glymph.errors import GlymphError, LeaseLost
from glymph.jobs.steps import Session, Step, steps
from glymph.prune.ai_prune import count_session
from glymph.text.masking import masked_in
from glymph.upkeep import queue
from glymph.upkeep.queue import Job

log = logging.getLogger("glymph.jobs")

SESSION_END = "session-end"  # the event that counts as a session; before a compaction it goes on


def run(
    ctx: Context,
    job: Job,
    *,
    order: Sequence[Step] | None = None,
    stopping: Callable[[], bool] | None = None,
) -> str:
    """Runs the steps of a job that are not done yet; gives back how it ended: done, resting, given
    up or stopped.

    `ctx` must be under a lease. A step that fails is named in the report and does not keep the
    others from running: what the agent sees next must not be worse for it. It is tried again after
    a rest. One that fails while the worker is to stop is not noted: it was called off, and the next
    worker runs it.
    """
    ends_session = job.payload.get("event") == SESSION_END
    if not queue.begin(ctx, job, count_session if ends_session else None):
        return "given up"
    session = Session(job.payload.get("session_id"), job.payload.get("transcript_path"))
    for step in order or steps():
        if job.has_done(step.name):
            continue
        if stopping is not None and stopping():
            return "stopped"
        _run_step(ctx, job, step, session)
        if queue.FAILED in job.report[step.name] and stopping is not None and stopping():
            return "stopped"
        queue.advance(ctx, job, step.name)
    return queue.finish(ctx, job)


def _run_step(ctx: Context, job: Job, step: Step, session: Session) -> None:
    """The one place where anything that goes wrong becomes a line of a report. Secrets do not get
    into it.
    """
    try:
        job.report[step.name] = masked_in(dict(step.run(ctx, session)))
    except LeaseLost:
        raise
    except GlymphError as error:
        why = masked_in(str(error))
        log.warning("step %s of job %s failed: %s", step.name, job.id, why)
        job.failed(step.name, why, error.code)
    except Exception as error:  # noqa: BLE001  it is logged, masked
        log.error(
            "step %s of job %s failed\n%s", step.name, job.id, masked_in(traceback.format_exc())
        )
        job.failed(step.name, masked_in(f"{type(error).__name__}: {error}")[:500], "Bug")
