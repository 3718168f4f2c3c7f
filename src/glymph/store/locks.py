"""A lock that a fork cannot leave shut."""

from __future__ import annotations

import os
import threading


class ProcessLock:
    """Keeps threads of one process apart. A child finds it open, whoever held it in its parent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()

    def __enter__(self) -> None:
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        self._lock.acquire()

    def __exit__(self, *raised: object) -> None:
        self._lock.release()
