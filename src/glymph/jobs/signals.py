"""Signals that ask a process to stop, told to the threads that wait for it."""

from __future__ import annotations

import _thread
import signal
import threading
from typing import Any

ASKING = (signal.SIGTERM, signal.SIGINT)


def stop_on_signals(stop: threading.Event) -> None:
    """Lets the first signal ask to stop and the second end the process; neither loses anything.

    A handler runs in the main thread, between any two of its steps. If the main thread is just
    inside `stop.wait`, it holds the lock that `stop.set` needs, and would wait for itself for ever:
    so another thread sets it, one that is begun without a lock.
    """

    def ask(number: int, frame: Any) -> None:
        _thread.start_new_thread(stop.set, ())
        for one in ASKING:
            signal.signal(one, signal.SIG_DFL)

    for one in ASKING:
        signal.signal(one, ask)
