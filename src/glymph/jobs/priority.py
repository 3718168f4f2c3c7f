"""Upkeep gives way: on a busy machine who waits for an answer goes before what nobody waits for."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

GIVES_WAY = 10  # of nice: about a tenth of a processor where another thread wants all of it


def give_way() -> None:
    """Lets this thread, and those it starts from here on, run behind others.

    Only Linux knows the niceness of a thread; elsewhere nothing happens.
    """
    if sys.platform == "linux":
        thread = threading.get_native_id()
        with suppress(OSError):  # a sandbox may forbid it
            nice = os.getpriority(os.PRIO_PROCESS, thread)
            os.setpriority(os.PRIO_PROCESS, thread, max(nice, GIVES_WAY))
