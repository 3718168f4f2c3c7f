"""Who may remove for good: whoever opens the store, and of those who show a token, an admin."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from glymph.errors import Forbidden

NEEDED = "admin"
_ROLE: ContextVar[str] = ContextVar("role", default=NEEDED)


@contextmanager
def acting_as(role: str) -> Iterator[None]:
    """Lets what this thread does meanwhile go no further than a role."""
    mark = _ROLE.set(role)
    try:
        yield
    finally:
        _ROLE.reset(mark)


def act_as(role: str) -> None:
    """Lets what runs in this context from now on go no further than a role."""
    _ROLE.set(role)


def check_may_purge() -> None:
    """Raises Forbidden unless whoever asks may remove for good."""
    if _ROLE.get() != NEEDED:
        raise Forbidden(NEEDED, _ROLE.get())
