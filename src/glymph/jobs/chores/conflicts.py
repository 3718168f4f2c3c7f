"""conflicts: where nobody decided in time, both statements are kept."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.jobs.chores import Chore
from glymph.services.conflicts import conflicts, expired, resolve
from glymph.services.states import MAX_BATCH
from glymph.services.workplace import Workplace


def run(place: Workplace, stop: threading.Event) -> Mapping[str, Any]:
    late = expired(place)[:MAX_BATCH]  # the rest has its turn at the next run
    settled = len(resolve(place, late, "keep_both").succeeded) if late else 0
    return {"open": len(conflicts(place)), "kept_both": settled}


CHORE = Chore("conflicts", timedelta(minutes=30), 20, run)
