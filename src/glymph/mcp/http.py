"""The MCP server over streamable HTTP: its address and token, its spaces, its start and end.

Nothing is kept between two requests, so any of several servers may answer the next one.
"""

from __future__ import annotations

import errno
import hashlib
import hmac
import ipaddress
import logging
import signal
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import anyio
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from glymph.errors import GlymphError, InvalidInput
from glymph.mcp.connections import Patience
from glymph.mcp.spaces import SPACE_HEADER, Handles

PATH, HEALTH = "/mcp", "/healthz"
ONCE = ("authorization", SPACE_HEADER)  # headers of which one counts: two might be read differently
SHORTEST_TOKEN = 16
# Of a request: the longest text there may be, with every character written as two escapes.
MOST_BYTES = 2 * 1024 * 1024
HEALTH_SECONDS = 5.0
LAST_SECONDS = 20  # for calls in flight when the server is told to stop
PATIENCE = Patience()
NEW_TOKEN = "`openssl rand -hex 32` makes one"

log = logging.getLogger("glymph.mcp")


@dataclass(frozen=True, slots=True)
class Door:
    """The address of the server, and the token that clients must show."""

    host: str
    port: int
    token: str = field(default="", repr=False)
    names: tuple[str, ...] = ()  # by which clients may call it, besides the host
    token_file: str = ""  # where clients of this machine find the token
    option: str = "http"  # of the command that names the address, for errors

    @classmethod
    def parse(cls, address: str, token: str, names: Sequence[str], option: str = "http") -> Self:
        """Returns the door at `HOST:PORT`; raises InvalidInput if others can reach it without a
        token.
        """
        host, colon, port = address.rpartition(":")
        host = host.removeprefix("[").removesuffix("]")
        if not (colon and host and port.isascii() and port.isdigit() and int(port) < 2**16):
            raise InvalidInput(
                option, f"{address!r} is not HOST:PORT. Write for example 127.0.0.1:8765."
            )
        door = cls(host, int(port), token, tuple(names), option=option)
        if not token and not door.is_loopback:
            raise InvalidInput(
                option,
                f"{host} can be reached from other machines and there is no token. Put a secret "
                f"into GLYMPH_TOKEN ({NEW_TOKEN}), or listen on 127.0.0.1.",
            )
        return door.with_token(token) if token else door

    def with_token(self, token: str, token_file: str = "") -> Self:
        """Returns the door with a token; raises InvalidInput if that can be guessed."""
        if len(token) < SHORTEST_TOKEN or not token.isascii():
            raise InvalidInput(
                "GLYMPH_TOKEN",
                f"needs at least {SHORTEST_TOKEN} characters, all of them ASCII, as does the file "
                f"token; {NEW_TOKEN}.",
            )
        return replace(self, token=token, token_file=token_file)

    @property
    def is_loopback(self) -> bool:
        address = _address(self.host)
        return address.is_loopback if address else self.host == "localhost"

    def security(self) -> TransportSecuritySettings | None:
        """Returns the Host and Origin headers to accept; None if any name may be the server's.

        A server without known names has a token, which a page in a browser that was led here by a
        forged name does not know.
        """
        names = [*self.names]
        address = _address(self.host)
        if self.is_loopback:
            names += ["127.0.0.1", "localhost", "[::1]"]
        elif address is None or not address.is_unspecified:
            names.append(_bracket(self.host))
        elif names:
            names += ["127.0.0.1", "localhost"]  # for whoever is on the machine itself
        else:
            return None
        hosts = [one for name in names for one in (name, f"{name}:*")]
        origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
        return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins)

    def admits(self, headers: Headers) -> bool:
        """Tells whether a request shows the token, in a time that gives nothing away about it."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        same = hmac.compare_digest(_digest(given.strip()), _digest(self.token))
        return not self.token or (scheme.lower() == "bearer" and same)

    def open(self) -> socket.socket:
        """Returns the open socket. Clients may connect, and wait until they are served."""
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        # Asyncio turns Nagle's algorithm off only if the protocol is named. With it, every answer
        # waits 40 ms for the client's acknowledgement of its first half.
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((self.host, self.port))
            # At once: whoever reads in the log that the server listens may connect.
            listening.listen(PATIENCE.most_connections)
        except OSError as error:
            listening.close()
            where, why = f"{_bracket(self.host)}:{self.port}", error.strerror or error
            held = ""
            if error.errno == errno.EADDRINUSE:
                held = f" Another program has it: `lsof -i :{self.port}` shows which."
            raise InvalidInput(
                self.option,
                f"cannot listen on {where} ({why}).{held} Choose another address or port with "
                f"--{self.option} HOST:PORT; port 0 means any that is free.",
            ) from error
        return listening


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:  # a name
        return None


def _bracket(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


class Guard:
    """Answers requests that show no token or ask for what is not there; passes on the others."""

    def __init__(self, inner: ASGIApp, door: Door, *, browsers: bool) -> None:
        self._inner, self._door, self._browsers = inner, door, browsers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._refuse(scope) if scope["type"] == "http" else None
        await (refusal or self._inner)(scope, receive, send)

    def _refuse(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if scope["path"] == HEALTH:
            return None
        if twice := [name for name in ONCE if len(headers.getlist(name)) > 1]:
            message = f"The header {twice[0]} is there more than once. Send it once."
            return _problem(400, "BadRequest", message)
        if not self._door.admits(headers):
            message = (
                "Send the header `Authorization: Bearer TOKEN` with the token that is in the "
                "server's GLYMPH_TOKEN, or in the file token of its home folder."
            )
            return _problem(401, "Unauthorized", message, **{"WWW-Authenticate": "Bearer"})
        if not self._browsers and "origin" in headers:
            message = (
                "Pages in a browser are not served. Start the server with --allow-host NAME to "
                "let in those of that host."
            )
            return _problem(403, "Forbidden", message)
        if scope["path"] != PATH:
            return _problem(404, "NotFound", f"There is nothing here. MCP is at {PATH}.")
        # There are no sessions, so there is no stream to open with GET or to end with DELETE.
        if scope["method"] != "POST":
            return _problem(405, "MethodNotAllowed", f"POST MCP messages to {PATH}.", Allow="POST")
        return None


def _problem(status: int, error: str, message: str, **headers: str) -> JSONResponse:
    return JSONResponse({"error": error, "message": message}, status, headers)


def _health(handles: Handles) -> Callable[[Request], Any]:
    limit = anyio.CapacityLimiter(2)  # of its own: a server with many calls in flight is healthy

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
            return _problem(
                503, "Unavailable", "The store cannot be read. The server's log says why."
            )
        return JSONResponse({"status": "ok"})

    return health


def _no_header_arguments(tool: str) -> None:
    """Says that no tool wants an argument repeated in a header.

    Otherwise the SDK would build the schemas of all tools at every call to look for one.
    """


def application(server: Server[Any], handles: Handles, door: Door) -> ASGIApp:
    """Returns the SDK's application behind the guard, with `GET /healthz`."""
    health = Route(HEALTH, _health(handles), methods=["GET"])
    inner = unguarded(server, door.security(), health)
    return Guard(inner, door, browsers=door.security() is not None)


def unguarded(
    server: Server[Any], security: TransportSecuritySettings | None, *routes: Route
) -> ASGIApp:
    """Returns the SDK's application as it is, for those who guard it."""
    server.get_tool_input_schema = _no_header_arguments
    return server.streamable_http_app(
        streamable_http_path=PATH,
        stateless_http=True,
        max_request_body_size=MOST_BYTES,
        transport_security=security
        or TransportSecuritySettings(enable_dns_rebinding_protection=False),
        custom_starlette_routes=list(routes),
    )


def configure(served: ASGIApp, patience: Patience = PATIENCE) -> uvicorn.Config:
    """Returns how uvicorn serves an application."""
    return uvicorn.Config(
        served, http=patience.hold(), log_config=None, access_log=False, server_header=False,
        proxy_headers=False, ws="none", limit_concurrency=patience.most_connections,
        timeout_keep_alive=patience.idle_s, timeout_graceful_shutdown=LAST_SECONDS,
    )  # fmt: skip


def serve(
    server: Server[Any], handles: Handles, door: Door, listening: socket.socket | None = None
) -> None:
    """Serves until SIGTERM or Ctrl-C; calls in flight are answered first."""
    run(application(server, handles, door), door, PATH, listening=listening)


class StoppingServer(uvicorn.Server):
    """A server that says when it is told to stop, before it waits for calls in flight."""

    def __init__(self, config: uvicorn.Config, told: Callable[[], None]) -> None:
        super().__init__(config)
        self._told = told

    def handle_exit(self, sig: int, frame: Any) -> None:
        self._told()
        super().handle_exit(sig, frame)


def run(
    served: ASGIApp, door: Door, path: str = "", stopping: Callable[[], None] = lambda: None,
    listening_at: Callable[[str], None] = lambda address: None,
    listening: socket.socket | None = None,
) -> None:  # fmt: skip
    """Serves an application at a door until SIGTERM or Ctrl-C; calls in flight are answered first.

    `listening` is the door's socket where it is open already. `listening_at` is told the address
    once clients may connect; `stopping` is called when the server is told to stop.
    """
    listening = listening or door.open()
    host, port = listening.getsockname()[:2]
    for one in (signal.SIGTERM, signal.SIGINT):
        # When it has stopped, uvicorn repeats the signal, which would end this process with it.
        signal.signal(one, _ignore)
    if door.token_file:
        log.info("clients send the token in %s", door.token_file)
    address = f"http://{_bracket(host)}:{port}"
    log.info("listening on %s%s", address, path)
    listening_at(address)
    with listening:
        StoppingServer(configure(served), stopping).run(sockets=[listening])
    log.info("stopped")


def _ignore(number: int, frame: Any) -> None:
    """Does nothing: the server has stopped, or has not started yet."""
