"""Keeps the C library from holding on to memory that the threads of a server have freed."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_ARENA_MAX = -8  # glibc's mallopt, from malloc.h
HEAPS = 2
BETWEEN_S = 30.0  # two times that freed memory is given back: it takes a few milliseconds


def bound_heaps() -> bool:
    """Lets all threads share a few heaps; returns False where the C library has no such setting.

    By default each thread has one of its own, and keeps the most that any request ever needed of
    it: 16 MB after 40 seconds of searches in one run. Call it before threads are started.
    """
    mallopt = _find("mallopt")
    return mallopt is not None and bool(mallopt(_ARENA_MAX, HEAPS))


def give_back() -> bool:
    """Gives freed memory back to the system; returns False where the C library cannot.

    By itself it does so only at the end of a heap, which one small thing that stays keeps in use:
    a server under load grew by 31 MB in ten minutes, of which Glymph used 6.
    """
    trim = _find("malloc_trim")
    return trim is not None and bool(trim(0))


@contextmanager
def giving_back(between: float = BETWEEN_S) -> Iterator[None]:
    """Gives freed memory back from time to time meanwhile."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(between):
            give_back()

    thread = threading.Thread(target=work, name="glymph-heap", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _find(name: str) -> Any:
    """Returns a function of glibc; None elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), name, None)  # musl has none of them
