"""idle: low-value work while nobody recalls, which ends at once when somebody does."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import SKIPPED, STOPPED, Chore
from glymph.prune.idle import clear_idle, newest_recall


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    began = _newest(ctx)
    done = clear_idle(
        ctx, now=ctx.now(), agent_is_back=lambda: stop.is_set() or _newest(ctx) != began
    )
    if not done.ran:
        return {SKIPPED: done.why}
    told = {
        "links_dropped": done.links_dropped,
        "merged": sum(len(one.parts) for one in done.merged),
    }
    if done.yielded and stop.is_set():
        return {STOPPED: True, **told}
    return {"yielded": True, **told} if done.yielded else told


def _newest(ctx: Context) -> int:
    with ctx.reading() as reader:
        return newest_recall(reader)


CHORE = Chore("idle", timedelta(minutes=10), 80, run)
