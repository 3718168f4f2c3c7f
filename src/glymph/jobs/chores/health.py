"""health: whether the space can be worked with, in figures that cost little."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.jobs.chores import Chore
from glymph.services.status import condition
from glymph.services.workplace import Workplace


def run(place: Workplace, stop: threading.Event) -> Mapping[str, Any]:
    return condition(place)


CHORE = Chore("health", timedelta(hours=1), 10, run)
