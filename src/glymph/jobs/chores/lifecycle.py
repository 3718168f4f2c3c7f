"""lifecycle: what has faded and is not needed steps back."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.jobs.chores import Chore
from glymph.jobs.steps import Session
from glymph.jobs.steps.lifecycle import STEP


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    return STEP.run(ctx, Session())


CHORE = Chore("lifecycle", timedelta(hours=2), 40, run)
