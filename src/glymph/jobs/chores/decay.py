"""decay: how present the memories are, and what fades that was learnt."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import Chore
from glymph.prune.fading import fading
from glymph.upkeep.overview import health


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    found = health(ctx)
    counts = {
        name: getattr(found, name) for name in ("active", "weak", "dormant", "archived", "trashed")
    }
    return {**counts, "fading": [one.id for one in fading(ctx)]}


CHORE = Chore("decay", timedelta(hours=6), 70, run)
