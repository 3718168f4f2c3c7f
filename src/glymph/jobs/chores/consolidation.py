"""consolidation: what many episodes have in common becomes a lesson."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import FAILED, SKIPPED, STOPPED, Chore
from glymph.learn.consolidate import consolidate


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    done = consolidate(ctx, if_needed=True, cancel=stop)
    if not done.ran:
        return {SKIPPED: done.why}
    told = {**done.stats, "cost_usd": done.cost_usd}
    if stop.is_set() and any(one.ending == "waiting" for one in done.groups):
        return {STOPPED: True, **told}
    failed = [one.why for one in done.groups if one.ending == "failed"]
    return {FAILED: failed[0], **told} if failed else told


CHORE = Chore("consolidation", timedelta(hours=24), 60, run)
