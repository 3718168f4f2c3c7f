"""Queues of maintenance work: one contract, a file for each way to bring jobs to workers."""

from __future__ import annotations

from glymph.facade import Glymph
from glymph.jobs.queues.contract import LIMIT, Queue
from glymph.jobs.queues.embedded import EmbeddedQueue

POSTGRESQL = "postgresql:"


def parts(glymph: Glymph, url: str) -> list[str]:
    """The URLs of the stores that a store is made of, each with a queue of its own; mostly it is one itself."""
    several = getattr(glymph.workplace.store, "parts", None)
    return list(several()) if several is not None else [url]


def open_queue(glymph: Glymph, *, url: str | None = None, limit: int = LIMIT) -> Queue:
    """The queue for a store: in its database where that is PostgreSQL, else the embedded one.

    `url` is the store's as it was given: a handle tells none of its password.
    """
    if (url or glymph.url).startswith(POSTGRESQL):
        from glymph.jobs.queues.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue(glymph, url=url, limit=limit)
    return EmbeddedQueue(glymph, limit=limit)
