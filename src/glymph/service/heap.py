"""Keeps the C library from holding on to memory that the threads of a server have freed."""

from __future__ import annotations

import ctypes
import sys

# Names of glibc's mallopt, from malloc.h.
_MMAP_THRESHOLD, _ARENA_MAX = -3, -8
HEAPS = 2
LARGE = 256 << 10  # bytes: so much goes back to the system as soon as it is freed


def bound_heaps() -> bool:
    """Lets all threads share a few heaps; returns False where the C library has no such setting.

    By default each thread has one of its own, and keeps the most that any request ever needed of
    it: 16 MB after a minute of searches by six threads. Call it before threads are started.
    """
    if not sys.platform.startswith("linux"):
        return False
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is None:
        return False
    return all([mallopt(_ARENA_MAX, HEAPS), mallopt(_MMAP_THRESHOLD, LARGE)])
