"""health: whether the space can be worked with, in figures that cost little."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import Chore
from glymph.upkeep.status import condition


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    return condition(ctx)


CHORE = Chore("health", timedelta(hours=1), 10, run)
