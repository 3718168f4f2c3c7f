"""trash: what has been there for its time ends, and certificates that wait are completed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glymph.context import Context
from glymph.forget.complete_certificates import complete_certificates
from glymph.forget.trash import empty, trash
from glymph.jobs.chores import Chore


def run(ctx: Context, stop: threading.Event) -> Mapping[str, Any]:
    if any(one.expired for one in trash(ctx)):
        return {"purged": len(empty(ctx).succeeded)}
    return {"purged": 0, "certificates": len(complete_certificates(ctx))}


CHORE = Chore("trash", timedelta(hours=24), 60, run)
