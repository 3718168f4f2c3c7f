"""Sessions that their host has compacted, one small file each.

They are yet to be given what they lost. Only the standard library is imported here: a hook that is
called before a compaction has a few milliseconds.
"""

from __future__ import annotations

import time
from pathlib import Path

from glymph.jobs import spool

TYPE_CHECKING = False  # `typing` itself would cost a hook some milliseconds
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

FOLDER = "compacted"
KEPT = 7 * 86_400.0  # seconds in which a session that was compacted goes on, or never does


def note(home: Path, item: Mapping[str, Any]) -> None:
    """Notes that a session is being compacted, if the host says where its transcript is."""
    if item.get("session_id") and item.get("transcript_path"):
        spool.drop(home / FOLDER, item)


def take_transcript(home: Path, session: object) -> str | None:
    """Returns the transcript of a session that was compacted since it was last asked for, once.

    Of several compactions that nobody asked about, one answer does for all.
    """
    found = None
    for path, item in spool.items(home / FOLDER):
        try:
            if item.get("session_id") == session and isinstance(item.get("transcript_path"), str):
                path.unlink()  # first: who removes the file answers
                found = item["transcript_path"]
            elif time.time() - path.stat().st_mtime > KEPT:
                path.unlink()
        except FileNotFoundError:
            continue  # another start of the session was first
    return found
