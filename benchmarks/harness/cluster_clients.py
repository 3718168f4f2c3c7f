"""MCP clients of several servers, any of which may answer the next call.

And what the clients do when a server is gone.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
from anyio.abc import TaskGroup
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from glymph.mcp.spaces import SPACE_HEADER

PATIENCE = 30.0  # seconds for one call, all tries of it included
AVOIDED = 0.5  # seconds for which a server that was gone is not asked
BREATH = 0.1  # seconds between two tries
AWAY = frozenset({"StoreError", "StoreAway", "StoreBusy", "PartsAway"})  # answers that say: not now
# a call that the server answers without the store: what the protocol alone costs
NO_TOOL = "no_such_tool"


class Gone(Exception):
    """A server did not answer. What was not even sent is certainly not done."""

    def __init__(self, why: str, *, sent: bool) -> None:
        super().__init__(why)
        self.sent = sent


class Unanswered(Exception):
    """The answer to a call is lost and the call is not safe to repeat.

    It may have been done or not.
    """


class StoreAway(Exception):
    """The server says that the store cannot be used now.

    And the call is not safe to repeat, or time is over.
    """


class Refused(Exception):
    """The server answered, and had not done what it was asked."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gave back, by which server, after how many tries."""

    found: Mapping[str, Any]
    server: int
    tries: int


class Session:
    """One session of the SDK's client, held open by a task of its own; one call at a time.

    The header of each request names its space. Whoever finds the session gone leaves it and opens
    another one, so that a request that is still under way never carries the space of a later one.
    """

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token, self._space = address, token, ""
        self._client: Client | None = None
        self._call: anyio.CancelScope | None = None
        self._opened, self._over, self._ended = anyio.Event(), anyio.Event(), anyio.Event()
        self._failure: Exception | None = None

    async def hold(self) -> None:
        """Keeps the session open until it is left or fails."""
        http = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {self._token}"}, event_hooks={"request": [self._name_space]},
            timeout=PATIENCE, verify=False,
        )  # fmt: skip
        try:
            async with (
                http,
                Client(streamable_http_client(self._address, http_client=http)) as self._client,
            ):
                self._opened.set()
                await self._over.wait()
        except Exception as error:  # noqa: BLE001  whatever the transport met; the caller is told
            self._failure = error
        self._client = None
        self._ended.set()
        self._opened.set()
        if self._call is not None:
            self._call.cancel()

    async def _name_space(self, request: httpx2.Request) -> None:
        request.headers[SPACE_HEADER] = self._space

    async def safe_tools(self) -> frozenset[str]:
        """The tools that the server says may be called twice for once."""
        told = (await self._ready().list_tools()).tools
        hints = {tool.name: tool.annotations for tool in told}
        return frozenset(
            name
            for name, hint in hints.items()
            if hint and (hint.read_only_hint or hint.idempotent_hint)
        )

    async def call(self, space: str, tool: str, arguments: Mapping[str, Any]) -> CallToolResult:
        """The server's answer; Gone if there is none."""
        await self._opened.wait()
        client, self._space, why = self._ready(), space, "no answer"
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + PATIENCE) as self._call:
                return await client.call_tool(tool, dict(arguments))
        except MCPError as error:
            why = str(error)
        finally:
            self._call = None
        await self.leave()
        raise Gone(f"{why}: {self._failure!r}", sent=not _refused(self._failure))

    async def leave(self) -> None:
        self._over.set()
        await self._ended.wait()

    async def opened(self) -> None:
        await self._opened.wait()
        self._ready()

    def _ready(self) -> Client:
        if self._client is None:
            raise Gone(f"no session: {self._failure!r}", sent=False)
        return self._client


def _refused(failure: BaseException | None) -> bool:
    """Whether nothing went wrong but that nobody listened."""
    if isinstance(failure, BaseExceptionGroup):
        return all(map(_refused, failure.exceptions))
    return isinstance(failure, httpx2.ConnectError)


def _name_error(told: str) -> str:
    """The name that an answer begins with, before the tool that it is about."""
    return told.partition(":")[0].partition(" ")[0]


async def _reached(address: str) -> None:
    """Nothing, if somebody listens there; else Gone, for much less than a session costs."""
    parts = urlsplit(address)
    try:
        await (await anyio.connect_tcp(parts.hostname or "", parts.port or 80)).aclose()
    except OSError as error:
        raise Gone(str(error), sent=False) from error


class Caller:
    """Makes one call after the other, each by any of the servers, as through a load balancer.

    What was not sent, and what the server says is safe to repeat, is tried again at the next
    server. Nothing else.
    """

    def __init__(
        self, addresses: Sequence[str], token: str, *, group: TaskGroup, seed: int
    ) -> None:
        self._addresses, self._token, self._group = addresses, token, group
        self._random = random.Random(seed)
        self._sessions: dict[int, Session] = {}
        self._avoided = dict.fromkeys(range(len(addresses)), 0.0)  # until when
        self._safe: frozenset[str] | None = None

    async def ask(self, space: str, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """What the tool gave back. Unanswered, StoreAway or Refused say why there is nothing."""
        ends, tries = time.monotonic() + PATIENCE, 0
        while True:
            server, tries = self._chosen(), tries + 1
            try:
                answer = await self._asked(server, space, tool, arguments)
            except Gone as gone:
                self._sessions.pop(server, None)
                self._avoided[server] = time.monotonic() + AVOIDED
                if (gone.sent and not self._repeats(tool)) or time.monotonic() > ends:
                    raise Unanswered(str(gone)) from gone
            else:
                if not answer.is_error:
                    return Answer(answer.structured_content or {}, server, tries)
                told = getattr(answer.content[0], "text", "") if answer.content else ""
                if _name_error(told) not in AWAY:
                    raise Refused(told)
                if not self._repeats(tool) or time.monotonic() > ends:
                    raise StoreAway(told)
            await anyio.sleep(BREATH)

    async def trifle(self, space: str) -> Answer:
        """The answer to a call of no tool: nothing but the protocol is at work."""
        try:
            return await self.ask(space, NO_TOOL, {})
        except Refused as told:
            if not str(told).startswith("UnknownTool"):
                raise
            return Answer({}, -1, 1)

    async def _asked(
        self, server: int, space: str, tool: str, arguments: Mapping[str, Any]
    ) -> CallToolResult:
        session = self._sessions.get(server) or await self._open(server)
        return await session.call(space, tool, arguments)

    async def open_all(self) -> None:
        for server in range(len(self._addresses)):
            await self._open(server)

    async def _open(self, server: int) -> Session:
        await _reached(self._addresses[server])
        session = Session(self._addresses[server], self._token)
        self._group.start_soon(session.hold)
        await session.opened()
        if self._safe is None:
            self._safe = await session.safe_tools()
        self._sessions[server] = session
        return session

    def _repeats(self, tool: str) -> bool:
        return tool == NO_TOOL or tool in (self._safe or ())

    def _chosen(self) -> int:
        now = time.monotonic()
        servers = [one for one, until in self._avoided.items() if until <= now] or list(
            self._avoided
        )
        return self._random.choice(servers)

    async def close(self) -> None:
        for session in self._sessions.values():
            await session.leave()
