"""Requests that are applied once, however often they are sent, and only to what they expect.

A request with a key leaves a finished item in the queue of its space, in the transaction of the
first operation it makes: it was applied if, and only if, that item is there. The item names the
operation, never what was said, so that a purge need not look for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from glymph.errors import KeyReused, VersionChanged
from glymph.store.reader import Reader
from glymph.store.writer import Writer

JOB = "request"


@dataclass(slots=True)
class OnceRequest:
    """A request with the key it is known by, and the version it expects a memory to have."""

    key: str | None = None
    fingerprint: str = ""  # of what was asked
    expects: tuple[str, int] | None = None  # a memory's id, and its version
    operation: str | None = None  # the first that it led to

    @property
    def item_id(self) -> str:
        return f"{JOB}:{hashlib.sha256(str(self.key).encode()).hexdigest()[:40]}"


class AppliedBefore(Exception):
    """The request was applied before; `operation` is the id of what it did then."""

    def __init__(self, operation: str) -> None:
        super().__init__(operation)
        self.operation = operation


_REQUEST: ContextVar[OnceRequest | None] = ContextVar("request", default=None)


@contextmanager
def applying_once(request: OnceRequest | None) -> Iterator[None]:
    """Lets the first operation made meanwhile, by this thread, be that of the request."""
    mark = _REQUEST.set(request)
    try:
        yield
    finally:
        _REQUEST.reset(mark)


def check_applied(reader: Reader | Writer, request: OnceRequest) -> None:
    """Raises AppliedBefore if the request was applied, KeyReused if another had its key."""
    found = None if request.key is None else reader.job(request.item_id)
    if found is None:
        return
    told = json.loads(found["payload"])
    if told["fingerprint"] != request.fingerprint:
        raise KeyReused(str(request.key))
    raise AppliedBefore(told["operation"])


def claim(writer: Writer) -> OnceRequest | None:
    """Notes with an operation that the request at hand is applied by it, if it is the first."""
    request = _REQUEST.get()
    if request is None or request.operation is not None:
        return None
    check_applied(writer, request)
    if request.expects is not None:
        memory_id, version = request.expects
        row = writer.memory(memory_id)
        if row is not None and row["version"] != version:
            raise VersionChanged(memory_id, str(version), row["version"])
    if request.key is not None:
        at = writer.intent.at
        told = {"operation": writer.intent.id, "fingerprint": request.fingerprint}
        item = {"id": request.item_id, "job": JOB, "payload": json.dumps(told), "at": at}
        writer.enqueue(item)
        writer.finish(request.item_id, at=at)
    return request
