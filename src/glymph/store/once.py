"""Requests that are applied once, however often they are sent, and only to what they expect.

A request with a key leaves a finished item in the queue of its space, in the transaction of the
first operation it makes: it was applied if, and only if, that item is there. A request that is
carried out in parts leaves one for each, so that it is taken up where it ended. An item names the
operation and what came of it by ids, never what was said, so that a purge need not look for it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

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
    part: int = 0  # that is being carried out
    resumes: bool = False  # sent again, it goes on with what it was told before
    replayed: bool = False  # some of it was applied before

    @property
    def item_id(self) -> str:
        part = f":{self.part}" if self.part else ""
        return f"{JOB}:{hashlib.sha256(str(self.key).encode()).hexdigest()[:40]}{part}"


class AppliedBefore(Exception):
    """The request was applied before: by which `operation`, and the `outcome` noted with it.

    One that `resumes` goes on with that outcome.
    """

    def __init__(self, operation: str, outcome: Mapping[str, Any], *, resumes: bool) -> None:
        super().__init__(operation)
        self.operation, self.outcome, self.resumes = operation, outcome, resumes


_REQUEST: ContextVar[OnceRequest | None] = ContextVar("request", default=None)


@contextmanager
def applying_once(request: OnceRequest | None) -> Iterator[None]:
    """Lets the first operation made meanwhile, by this thread, be that of the request."""
    mark = _REQUEST.set(request)
    try:
        yield
    finally:
        _REQUEST.reset(mark)


def is_resumed() -> bool:
    """Tells whether the request at hand would go on with what it was told, if it is sent again."""
    request = _REQUEST.get()
    return request is not None and request.resumes


def begin_part(number: int) -> None:
    """Lets the next operation be that of a further part of the request at hand."""
    request = _REQUEST.get()
    if request is not None and request.part != number:
        request.part, request.operation = number, None


def check_part(reader: Reader) -> None:
    """Raises AppliedBefore if the part of the request at hand was applied."""
    request = _REQUEST.get()
    if request is not None:
        check_applied(reader, request)


def check_applied(reader: Reader | Writer, request: OnceRequest) -> None:
    """Raises AppliedBefore if the request was applied, KeyReused if another had its key."""
    found = None if request.key is None else reader.job(request.item_id)
    if found is None:
        return
    told = json.loads(found["payload"])
    if told["fingerprint"] != request.fingerprint:
        raise KeyReused(str(request.key))
    request.replayed = True
    if request.resumes:  # what it does besides is no part of what was applied
        request.operation = told["operation"]
    raise AppliedBefore(told["operation"], told.get("outcome", {}), resumes=request.resumes)


def claim(writer: Writer) -> OnceRequest | None:
    """Returns the request at hand if the operation that begins is its first.

    Raises AppliedBefore if it has been applied, VersionChanged if it expects another version.
    """
    request = _REQUEST.get()
    if request is None or request.operation is not None:
        return None
    check_applied(writer, request)
    if request.expects is not None:
        memory_id, version = request.expects
        row = writer.memory(memory_id)
        if row is not None and row["version"] != version:
            raise VersionChanged(memory_id, str(version), row["version"])
    return request


def note_applied(writer: Writer, request: OnceRequest, outcome: Mapping[str, Any]) -> None:
    """Notes with an operation that a request is applied by it, and what came of it."""
    if request.key is None:
        return
    at, operation = writer.intent.at, writer.intent.id
    told = {"operation": operation, "fingerprint": request.fingerprint, "outcome": outcome}
    writer.enqueue_finished(
        {"id": request.item_id, "job": JOB, "payload": json.dumps(told), "at": at}
    )
