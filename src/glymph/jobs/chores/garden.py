"""garden: faded links are dropped, what is said twice becomes one."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import Chore
from glymph.prune.garden import garden


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    done = garden(ctx)
    told = {"links_dropped": done.links, "merged": done.archived, "orphans": done.orphan_count}
    return {"held_back": done.held_back, **told} if done.held_back else told


CHORE = Chore("garden", timedelta(hours=24), 55, run)
