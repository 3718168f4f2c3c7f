"""`glymph worker` with short times, that also notes each run of a chore once the store knows of it.

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
from glymph.jobs import daemon, queues
from glymph.jobs.chores import SKIPPED, Chore
from glymph.jobs.queues.contract import DONE, Queue
from glymph.jobs.queues.procrastinate import ProcrastinateQueue
from glymph.moments import micros
from glymph.upkeep import leases

LOOK, POLL, BEAT, STALLED = 5.0, 0.25, 1.0, 4.0  # seconds
LEASE = 4.0


def told_to(descriptor: int) -> Any:
    """`daemon.do` that writes a line for each beat that came to its end: the moment it was due is
    its name.
    """
    real = daemon.do

    def do(ctx: Context, chore: Chore, due_at: int, stop: threading.Event) -> str:
        due = due_at <= micros(ctx.now())  # else it only follows changes, which is no beat
        ended = real(ctx, chore, due_at, stop)
        if due and ended in (DONE, SKIPPED):
            line = {"space": ctx.space, "chore": chore.name, "due_at": due_at}
            os.write(descriptor, f"{json.dumps(line)}\n".encode())
        return ended

    return do


def opened(glymph: Glymph, *, url: str | None = None, limit: int = 4) -> Queue:
    return ProcrastinateQueue(
        glymph, url=url, limit=limit, look=LOOK, poll=POLL, beat=BEAT, stalled=STALLED
    )


if __name__ == "__main__":
    daemon.do = told_to(os.open(sys.argv.pop(1), os.O_WRONLY | os.O_CREAT | os.O_APPEND))
    leases.LASTS, leases.RENEWED = LEASE, LEASE / 4
    queues.open_queue = opened
    main()
