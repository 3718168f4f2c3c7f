"""Queues of maintenance work: one contract, a file for each way to bring jobs to workers."""

from __future__ import annotations

from glymph.client import Glymph
from glymph.jobs.queues.contract import LIMIT, Queue
from glymph.jobs.queues.embedded import EmbeddedQueue

POSTGRESQL = "postgresql:"


def open_queue(glymph: Glymph, *, url: str | None = None, limit: int = LIMIT) -> Queue:
    """Opens the queue of a store.

    It is in PostgreSQL, if that is the store's engine or `url` names it, else in the store itself.
    """
    if (url or glymph.url).startswith(POSTGRESQL):
        from glymph.jobs.queues.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue(glymph, url=url, limit=limit)
    return EmbeddedQueue(glymph, limit=limit)
