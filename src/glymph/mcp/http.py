"""The MCP server over streamable HTTP: who may come in, on which space, and how it starts and ends.

Nothing is kept between two requests, so any of several servers may answer the next one.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import logging
import signal
import socket
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self
from urllib.parse import unquote

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from glymph import environment
from glymph.checks import checked_space
from glymph.client import Glymph
from glymph.errors import GlymphError, InvalidInput, Refused, SpaceNotFound

PATH, HEALTH = "/mcp", "/healthz"
SPACE_HEADER = "Glymph-Space"
SHORTEST_TOKEN = 16
MOST_BYTES = (
    2 * 1024 * 1024
)  # of a request: the longest text there may be, every character written as two escapes
MOST_CONNECTIONS = 512
MOST_HANDLES = 256  # spaces whose handle is kept
HEALTH_SECONDS = 5.0
LAST_SECONDS = 20  # for calls in flight when the server is told to stop
NEW_TOKEN = "`openssl rand -hex 32` makes one"

log = logging.getLogger("glymph.mcp")


@dataclass(frozen=True, slots=True)
class Door:
    """Where the server listens, and what clients must show."""

    host: str
    port: int
    token: str = field(default="", repr=False)
    names: tuple[str, ...] = ()  # by which clients may call it, besides the host

    @classmethod
    def of(cls, address: str, token: str, names: Sequence[str]) -> Self:
        """The door at `HOST:PORT`. One that others can reach needs a token; without it,
        InvalidInput.
        """
        host, colon, port = address.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if not (colon and host and port.isascii() and port.isdigit() and int(port) < 2**16):
            raise InvalidInput(
                "http", f"{address!r} is not HOST:PORT. Write for example 127.0.0.1:8765."
            )
        door = cls(host, int(port), token, tuple(names))
        if not token and not door.loopback:
            raise InvalidInput(
                "http", f"{host} can be reached from other machines and there is no token. Put a secret into "
                f"GLYMPH_TOKEN ({NEW_TOKEN}), or listen on 127.0.0.1.",
            )  # fmt: skip
        if token and (len(token) < SHORTEST_TOKEN or not token.isascii()):
            raise InvalidInput(
                "GLYMPH_TOKEN",
                f"needs at least {SHORTEST_TOKEN} characters, all of them ASCII; {NEW_TOKEN}.",
            )
        return door

    @property
    def loopback(self) -> bool:
        address = _address(self.host)
        return address.is_loopback if address else self.host == "localhost"

    def security(self) -> TransportSecuritySettings | None:
        """Which Host and Origin headers are right; None where a server cannot know the names it is
        called by.

        There it has a token, and a page in a browser that was led here by a forged name does not
        know it.
        """
        names = [*self.names]
        address = _address(self.host)
        if self.loopback:
            names += ["127.0.0.1", "localhost", "[::1]"]
        elif address is None or not address.is_unspecified:
            names.append(_quoted(self.host))
        elif names:
            names += ["127.0.0.1", "localhost"]  # for whoever is on the machine itself
        else:
            return None
        hosts = [one for name in names for one in (name, f"{name}:*")]
        origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
        return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)

    def lets_in(self, headers: Headers) -> bool:
        """Whether a request shows the token. How long that takes tells nothing about it."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(_digest(given.strip()), _digest(self.token))
        return not self.token or (scheme.lower() == "bearer" and same)

    def open(self) -> socket.socket:
        """The socket of the door. Clients may connect, and wait until they are served."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # The protocol is named because asyncio turns Nagle's algorithm off only where it is:
        # without that, every
        # answer waits 40 ms for the client's acknowledgement of its first half.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self.host, self.port))
            listening.listen(
                MOST_CONNECTIONS
            )  # now: whoever reads in the log that we listen may come
        except OSError as error:
            listening.close()
            raise InvalidInput(
                "http", f"cannot listen on {_quoted(self.host)}:{self.port} ({error.strerror or error}). "
                "Choose another address or port; port 0 means any that is free.",
            ) from error  # fmt: skip
        return listening


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:  # a name
        return None


def _quoted(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


class Handles:
    """The handle for each request: on one space, or on the one that its header names.

    All of them share the store, its connections and the embedding model, so that one more space
    costs little.
    """

    def __init__(self, glymph: Glymph, *, url: str | None = None, any_space: bool = False) -> None:
        self.first = glymph
        self._url, self._any_space = url, any_space
        self._kept: OrderedDict[str, Glymph] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, request: Any) -> Glymph:
        """The handle for a request. A space that does not exist yet is made."""
        given = request.headers.get(SPACE_HEADER) if request is not None else None
        if given is None:
            return self.first
        space = _space(given)
        if space == self.first.space:
            return self.first
        if not self._any_space:
            raise InvalidInput(
                SPACE_HEADER, f"this server has the space {self.first.space!r} only. Leave the header out, or "
                "start the server with --any-space.",
            )  # fmt: skip
        with self._lock:
            if (known := self._kept.get(space)) is not None:
                self._kept.move_to_end(space)
                return known
        opened = self._opened(space)
        with self._lock:
            self._kept[space] = opened
            while len(self._kept) > MOST_HANDLES:
                self._kept.popitem(last=False)  # nothing to close: what it is embedding it finishes
        return opened

    def _opened(self, space: str) -> Glymph:
        handle = Glymph(replace(self.first.context, space=space))
        try:
            with handle.context.reading():
                return handle
        except SpaceNotFound:
            self._make(handle)
        return handle

    def _make(self, handle: Glymph) -> None:
        try:
            environment.open_glymph(self._url, handle.space, handle.actor, create=True).close()
        except Refused:
            with handle.context.reading():
                return  # another server made it at this moment


def _space(given: str) -> str:
    """The name in a header: percent-encoded where it is not ASCII."""
    try:
        return checked_space(unquote(given, errors="strict"))
    except UnicodeDecodeError as error:
        raise InvalidInput(
            SPACE_HEADER, "is not UTF-8, percent-encoded. Encode the name anew."
        ) from error


class Guard:
    """Stands before the server: lets in who shows the token, to what there is."""

    def __init__(self, inner: ASGIApp, door: Door, *, browsers: bool) -> None:
        self._inner, self._door, self._browsers = inner, door, browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        await (refusal or self._inner)(scope, receive, send)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["path"] == HEALTH:
            return None
        if not self._door.lets_in(headers):
            return _told(
                401, "Unauthorized", "Send the header `Authorization: Bearer TOKEN` with the token that is in the "
                "server's GLYMPH_TOKEN.", **{"WWW-Authenticate": "Bearer"},
            )  # fmt: skip
        if not self._browsers and "origin" in headers:
            return _told(
                403, "Forbidden", "Pages in a browser are not served. Start the server with --allow-host NAME to "
                "let in those of that host.",
            )  # fmt: skip
        if scope["path"] != PATH:
            return _told(404, "NotFound", f"There is nothing here. MCP is at {PATH}.")
        if (
            scope["method"] != "POST"
        ):  # there are no sessions, so neither a stream to open nor one to end
            return _told(405, "MethodNotAllowed", f"POST MCP messages to {PATH}.", Allow="POST")
        return None


def _told(status: int, error: str, message: str, **headers: str) -> JSONResponse:
    return JSONResponse({"error": error, "message": message}, status, headers)


def _health(handles: Handles) -> Callable[[Request], Any]:
    limit = anyio.CapacityLimiter(2)  # of its own: many calls in flight are no illness

    def look() -> None:
        with handles.first.context.reading():
            return

    async def health(_: Request) -> Response:
        try:
            with anyio.fail_after(HEALTH_SECONDS):
                await anyio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=limit)
        except (GlymphError, TimeoutError) as error:
            log.warning(
                "not healthy: %s",
                error or f"the store did not answer within {HEALTH_SECONDS:.0f} s",
            )
            return _told(503, "Unavailable", "The store cannot be read. The server's log says why.")
        return JSONResponse({"status": "ok"})

    return health


def _no_header_arguments(tool: str) -> None:
    """Nothing: no tool wants an argument repeated in a header.

    Who does not say so has the schemas of all tools made anew at every call, to look for one.
    """


def application(server: Server[Any], handles: Handles, door: Door) -> ASGIApp:
    """What answers requests: the SDK's application behind the guard, and `GET /healthz`."""
    security = door.security()
    server.get_tool_input_schema = _no_header_arguments
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=MOST_BYTES,
        transport_security=security
        or TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=[Route(HEALTH, _health(handles), methods=["GET"])],
    )
    return Guard(inner, door, browsers=security is not None)


def serve(server: Server[Any], handles: Handles, door: Door) -> None:
    """Serves until SIGTERM or Ctrl-C; calls in flight are answered first."""
    listening = door.open()
    host, port = listening.getsockname()[:2]
    config = uvicorn.Config(
        application(server, handles, door), log_config=None, access_log=False, server_header=False,
        proxy_headers=False, ws="none", limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=LAST_SECONDS,
    )  # fmt: skip
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(
            one, _heard
        )  # uvicorn repeats the signal when it has stopped, which would end us with it
    log.info("listening on http://%s:%d%s", _quoted(host), port, PATH)
    with listening:
        uvicorn.Server(config).run(sockets=[listening])
    log.info("stopped")


def _heard(number: int, frame: Any) -> None:
    """Nothing more to do: the server has stopped, or has not started yet."""
