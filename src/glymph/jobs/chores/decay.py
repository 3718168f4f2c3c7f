"""decay: how present the memories are, and what fades that was learnt."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.jobs.chores import Chore
from glymph.services.fading import fading
from glymph.services.overview import health
from glymph.services.workplace import Workplace


def run(place: Workplace, stop: threading.Event) -> Mapping[str, Any]:
    found = health(place)
    counts = {name: getattr(found, name) for name in ("active", "weak", "dormant", "archived", "trashed")}
    return {**counts, "fading": [one.id for one in fading(place)]}


CHORE = Chore("decay", timedelta(hours=6), 70, run)
