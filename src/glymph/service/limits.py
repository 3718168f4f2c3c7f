"""Limits that hold before a route is reached: names, size, depth, rate and time of requests."""

from __future__ import annotations

import asyncio
import re
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from glymph.errors import TooFast
from glymph.mcp.http import MOST_BYTES, ONCE
from glymph.service.problems import problem

MOST_DEPTH = 64  # of objects and lists within each other
MOST_BUCKETS = 4096
STREAMS = ("/v1/events", "/live")  # for programs and for pages; they last
_JSON = re.compile(rb'"(?:[^"\\]|\\.)*"|([\[{])|([\]}])')


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is taken in."""

    bytes: int = MOST_BYTES
    depth: int = MOST_DEPTH
    per_second: float = 200.0  # requests of one token; 0 for any number
    seconds: float = 60.0  # until an answer has to begin


@dataclass(slots=True)
class Buckets:
    """Counts the requests of each token: two seconds' worth may come at once."""

    per_second: float
    _left: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)

    def take(self, who: str) -> None:
        """Counts a request; raises TooFast if there were too many."""
        if not self.per_second:
            return
        now, most = time.monotonic(), 2 * self.per_second
        left, since = self._left.pop(who, (most, now))
        left = min(most, left + (now - since) * self.per_second)
        self._left[who] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)
        if left < 1:
            raise TooFast((1 - left) / self.per_second)


class Guard:
    """Answers what may not reach a route; passes on the rest."""

    def __init__(
        self, inner: ASGIApp, limits: Limits, security: TransportSecuritySettings | None
    ) -> None:
        self._inner, self._limits = inner, limits
        self._names = TransportSecurityMiddleware(
            security or TransportSecuritySettings(enable_dns_rebinding_protection=False)
        )
        self._browsers = security is not None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        answer = await self._refuse(scope) or await self._pass(scope, receive, send)
        if answer is not None:
            await answer(scope, receive, send)

    async def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if twice := [name for name in ONCE if len(headers.getlist(name)) > 1]:
            return problem(400, "BadRequest", f"The header {twice[0]} is there more than once.")
        if not self._browsers and "origin" in headers:
            said = "Pages in a browser are not served. Start the server with --allow-host NAME."
            return problem(403, "Forbidden", said)
        refusal = await self._names.validate_request(Request(scope))
        if refusal is None:
            return None
        said = f"{bytes(refusal.body).decode()}. Start the server with --allow-host NAME."
        return problem(refusal.status_code, "BadRequest", said)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> Response | None:
        """Passes a request on with its whole body; returns the answer if that is too much."""
        body = await self._read(Headers(scope=scope), receive)
        if isinstance(body, Response):
            return body
        begun = False

        async def replay() -> Message:
            nonlocal body
            if isinstance(body, bytes):
                message, body = {"type": "http.request", "body": body, "more_body": False}, None
                return message
            return await receive()

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            seconds = None if scope["path"] in STREAMS else self._limits.seconds
            async with asyncio.timeout(seconds):
                await self._inner(scope, replay, note)
        except TimeoutError:
            if begun:
                raise
            said = f"No answer within {self._limits.seconds:g} s. Ask for less, or repeat it later."
            return problem(503, "TimedOut", said)
        return None

    async def _read(self, headers: Headers, receive: Receive) -> bytes | Response | None:
        too_large = problem(
            413, "TooLarge", f"A request has at most {self._limits.bytes:,} bytes. Send less."
        )
        declared = headers.get("content-length", "")
        if declared.isdigit() and int(declared[:20]) > self._limits.bytes:
            return too_large
        body = bytearray()
        while True:
            message: Any = await receive()
            if message["type"] != "http.request":
                return None
            body += message.get("body", b"")
            if len(body) > self._limits.bytes:
                return too_large
            if not message.get("more_body", False):
                break
        if measure_depth(body, self._limits.depth) > self._limits.depth:
            most = self._limits.depth
            return problem(400, "TooDeep", f"JSON may be nested {most} deep. Send it flatter.")
        return bytes(body)


def measure_depth(body: bytes | bytearray, enough: int) -> int:
    """Returns how deep JSON is nested; exact only above `enough`."""
    if body.count(b"[") + body.count(b"{") <= enough:
        return 0
    depth = deepest = 0
    for found in _JSON.finditer(body):
        if found[1]:
            depth += 1
            deepest = max(deepest, depth)
        elif found[2]:
            depth -= 1
    return deepest
