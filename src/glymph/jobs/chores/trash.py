"""trash: what has been there for its time ends, and certificates that wait are completed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.jobs.chores import Chore
from glymph.services.completing import complete_certificates
from glymph.services.trash import empty, trash
from glymph.services.workplace import Workplace


def run(place: Workplace, stop: threading.Event) -> Mapping[str, Any]:
    if any(one.expired for one in trash(place)):
        return {"purged": len(empty(place).succeeded)}
    return {"purged": 0, "certificates": len(complete_certificates(place))}


CHORE = Chore("trash", timedelta(hours=24), 60, run)
