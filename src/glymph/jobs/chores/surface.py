"""surface: the digest for the next session, made anew when something has changed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import Chore
from glymph.jobs.steps import Session
from glymph.jobs.steps.surface import STEP


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    return STEP.run(ctx, Session())


CHORE = Chore("surface", timedelta(hours=24), 90, run, after_changes=True)
