"""`glymph worker` with short times, that also notes each run of a scheduled job once the store knows of it.

`python -m benchmarks.harness.cluster_worker FILE worker …`: the rest is the command line of
`glymph` itself.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from typing import Any

from glymph.cli.main import main
from glymph.client import Glymph
from glymph.context import Context
from glymph.jobs import queues, runner
from glymph.jobs.job import SKIPPED, Job
from glymph.jobs.queues.contract import DONE, Queue
from glymph.jobs.queues.procrastinate import ProcrastinateQueue
from glymph.moments import micros
from glymph.upkeep import leases

LOOK, POLL, BEAT, STALLED = 5.0, 0.25, 1.0, 4.0  # seconds
LEASE = 4.0


def told_to(descriptor: int) -> Any:
    """`run_scheduled` that writes a line for each beat that came to its end.

    The moment a beat was due is its name.
    """
    real = runner.run_scheduled

    def run(ctx: Context, job: Job, due_at: int, stop: threading.Event) -> str:
        due = due_at <= micros(ctx.now())  # else it only follows changes, which is no beat
        ended = real(ctx, job, due_at, stop)
        if due and ended in (DONE, SKIPPED):
            line = {"space": ctx.space, "job": job.schedule, "due_at": due_at}
            os.write(descriptor, f"{json.dumps(line)}\n".encode())
        return ended

    return run


def opened(glymph: Glymph, *, url: str | None = None, limit: int = 4) -> Queue:
    return ProcrastinateQueue(
        glymph, url=url, limit=limit, look=LOOK, poll=POLL, beat=BEAT, stalled=STALLED
    )


if __name__ == "__main__":
    runner.run_scheduled = told_to(os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND))
    leases.LASTS, leases.RENEWED = LEASE, LEASE / 4
    queues.open_queue = opened
    main()
