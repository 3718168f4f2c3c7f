"""lifecycle: what has faded and is not needed steps back."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.jobs.chores import SKIPPED, Chore
from glymph.services.lifecycle import lifecycle
from glymph.services.workplace import Workplace


def run(place: Workplace, stop: threading.Event) -> Mapping[str, Any]:
    done = lifecycle(place, if_needed=True)
    if not done.ran:
        return {SKIPPED: done.why}
    return {"archived": len(done.archived), "trashed": len(done.trashed), "purged": done.purged}


CHORE = Chore("lifecycle", timedelta(hours=2), 40, run)
