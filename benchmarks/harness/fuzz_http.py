"""The MCP server over HTTP as a target: bare requests with changed lines, headers and bodies."""

from __future__ import annotations

import json
import logging
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from starlette.requests import ClientDisconnect

from benchmarks.harness import mutations
from benchmarks.harness.fuzz_targets import Crash, Ground, Target, make_body
from benchmarks.harness.mutations import change_bytes, change_text, change_value
from glymph.mcp.connections import Patience
from glymph.mcp.http import Door, application, configure
from glymph.mcp.server import server_for
from glymph.mcp.spaces import Handles
from glymph.tools import all_tools

SHARE = 2_000
PATIENCE = Patience(header_s=0.05, body_s=0.05, idle_s=0)
ANSWER_S = 30.0
TOKEN = "a-secret-for-the-fuzzed-server"
REFUSED = range(400, 500)
HEADERS = (
    ("Host", "127.0.0.1"),
    ("Authorization", f"Bearer {TOKEN}"),
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
    ("MCP-Protocol-Version", "2025-11-25"),
    ("Glymph-Space", "default"),
    ("Connection", "close"),
)


def requests(folder: Path) -> Iterator[Target]:
    """Yield the server as a target."""
    ground = Ground(folder)
    try:
        with _serving(ground) as (port, complaints):

            def take(data: bytes) -> bool:
                status = send(port, data)
                if complaints:
                    raise Crash(complaints.pop())
                return status not in REFUSED

            yield Target(
                "http", SHARE, lambda draw: make_request(draw, ground.known), take,
                image=ground.image, moved=ground.version,
            )  # fmt: skip
            if (
                send(port, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                != 200
            ):
                raise Crash("the server is not healthy any more")
    finally:
        ground.close()


@contextmanager
def _serving(ground: Ground) -> Iterator[tuple[int, list[str]]]:
    """Give the port of a server in a thread, and what its logs complain about."""
    handles = Handles(ground.glymph, url=ground.url, any_space=True)
    door = Door.parse("127.0.0.1:0", TOKEN, ())
    listening = door.open()
    served = application(server_for(handles.find, "full"), handles, door)
    server = uvicorn.Server(configure(served, PATIENCE))
    thread = threading.Thread(target=server.run, args=([listening],))
    with _listening_to_logs() as complaints:
        thread.start()
        try:
            yield listening.getsockname()[1], complaints
        finally:
            server.should_exit = True
            thread.join()
            listening.close()


@contextmanager
def _listening_to_logs() -> Iterator[list[str]]:
    complaints: list[str] = []

    class Complaints(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            if isinstance(error, ClientDisconnect):
                return  # the client was too slow, or had enough
            complaints.append(f"{record.name}: {record.getMessage()[:80]} {error!r}")

    handler = Complaints(logging.ERROR)
    logging.getLogger().addHandler(handler)
    try:
        yield complaints
    finally:
        logging.getLogger().removeHandler(handler)


def make_request(draw: random.Random, known: dict[str, list[str]]) -> bytes:
    """Return a request: its line, headers and body valid or changed."""
    tools = all_tools()
    name = draw.choice([*tools])
    message = {
        "jsonrpc": "2.0", "id": 1, "method": draw.choice(("tools/call", "tools/call", "tools/list", "ping")),
        "params": {"name": name, "arguments": make_body(draw, tools[name].schema["properties"], known)},
    }  # fmt: skip
    changed = change_value(draw, message) if draw.random() < 0.6 else message
    body = mutations.write_json(changed).encode("utf-8", "surrogatepass")
    body = change_bytes(draw, body) if draw.random() < 0.2 else body
    headers = [*HEADERS, ("Content-Length", str(len(body)))]
    if draw.random() < 0.4:
        headers = _change_headers(draw, headers)
    line = "POST /mcp HTTP/1.1"
    if draw.random() < 0.1:
        line = draw.choice(
            (
                "GET /healthz HTTP/1.1",
                "DELETE /mcp HTTP/1.1",
                "POST /mcp HTTP/9.9",
                change_text(draw, line),
            )
        )
    head = "\r\n".join([line, *(f"{name}: {value}" for name, value in headers), "", ""])
    data = head.encode("utf-8", "surrogatepass") + body
    return change_bytes(draw, data) if draw.random() < 0.1 else data


def _change_headers(draw: random.Random, headers: list[tuple[str, str]]) -> list[tuple[str, str]]:
    at = draw.randrange(len(headers))
    name, value = headers[at]
    return draw.choice(
        (
            headers[:at] + headers[at + 1 :],
            [*headers, headers[at]],
            [*headers[:at], (name, change_text(draw, value)), *headers[at + 1 :]],
            [*headers[:at], (change_text(draw, name), value), *headers[at + 1 :]],
            [*headers, (draw.choice(("Origin", "Transfer-Encoding", "Expect", "Upgrade", "Mcp-Session-Id")),
                        draw.choice(("chunked", "100-continue", "websocket", "null", change_text(draw, "x"))))],
        )
    )  # fmt: skip


def send(port: int, data: bytes) -> int:
    """Return the status of the answer; 400 if the connection was closed without one."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_S) as line:
        try:
            line.sendall(data)
            while piece := line.recv(1 << 16):
                answer += piece
        except (ConnectionResetError, BrokenPipeError):
            return _status(answer)
    return _status(answer)


def _status(answer: bytes) -> int:
    if not answer.startswith(b"HTTP/1.1 "):
        return 400
    status = int(answer[9:12])
    if status >= 500 or b"InternalError" in answer[:4000]:
        raise Crash(answer[:300].decode("utf-8", "replace"))
    if status == 200 and b"data: {" in answer:
        json.loads(answer.split(b"data: ", 1)[1].split(b"\r\n\r\n", 1)[0].split(b"\n", 1)[0])
    return status
