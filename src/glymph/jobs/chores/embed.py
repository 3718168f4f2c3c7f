"""embed: vectors for what was added without one."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import SKIPPED, STOPPED, Chore
from glymph.write.backfill import backfill


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    if ctx.meaning.embedder is None:
        return {SKIPPED: "no embedder"}
    done = 0
    for done in backfill(ctx):
        if stop.is_set():
            return {STOPPED: True, "embedded": done}
    return {"embedded": done}


CHORE = Chore("embed", timedelta(hours=12), 30, run)
