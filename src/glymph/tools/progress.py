"""How far a long tool is, told to whoever called it.

A tool gets a handle and its arguments alone; a way in that can show progress listens for the time
of a call. A listener may raise to end the call: what was done until then stays, and is journalled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[int, int], None]

_listener: ContextVar[Listener | None] = ContextVar("glymph_progress", default=None)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Lets a listener hear how far the tools are that run inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def tell_progress(done: int, total: int) -> None:
    """Tells the listener, if there is one, how much is done, and of how much."""
    if (listener := _listener.get()) is not None:
        listener(done, total)
