"""surface: the digest for the next session, made anew when something has changed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.core.tokens import tokens
from glymph.jobs.chores import Chore
from glymph.services.surface import surface
from glymph.services.workplace import Workplace


def run(place: Workplace, stop: threading.Event) -> Mapping[str, Any]:
    return {"tokens": tokens(surface(place))}


CHORE = Chore("surface", timedelta(hours=24), 90, run, after_changes=True)
