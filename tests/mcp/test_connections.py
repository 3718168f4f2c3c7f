"""The HTTP server and clients that dawdle, ask for much, or come without a right to.

A real server of uvicorn in a thread, with little patience, and bare sockets.
"""

from __future__ import annotations

import http.client
import json
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import NamedTuple

import apsw
import pytest
import uvicorn

from glymph import Glymph, environment
from glymph.cli.mcp import add_token, parse_door
from glymph.errors import InvalidInput
from glymph.mcp.connections import Patience
from glymph.mcp.http import Door, application, configure
from glymph.mcp.server import AT_ONCE, LARGE_AT_ONCE, server_for
from glymph.mcp.spaces import Handles
from glymph.tools.pages import MOST_BYTES

ENOUGH = 60.0  # seconds
IMPATIENT = Patience(header_s=0.15, body_s=0.15, idle_s=0.15, reading_s=0.15)
PROTOCOL = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


class Serving(NamedTuple):
    port: int
    server: uvicorn.Server


@contextmanager
def serving(glymph, *, url=None, any_space=False, patience=None, token=""):
    """The port of a server in a thread of its own. It sends little before a client reads."""
    handles = Handles(glymph, url=url, any_space=any_space)
    door = Door.parse("127.0.0.1:0", token, ())
    listening = door.open()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 14)
    made = application(server_for(handles.find, "full", "data"), handles, door)
    server = uvicorn.Server(configure(made, patience or Patience()))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield Serving(listening.getsockname()[1], server)
    finally:
        server.should_exit = True
        thread.join(ENOUGH)
        listening.close()
    assert not thread.is_alive()


@pytest.fixture
def store(tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with Glymph.open(url) as glymph:
        yield glymph, url


@pytest.fixture(scope="module")
def impatient(tmp_path_factory):
    url = f"sqlite:///{tmp_path_factory.mktemp('impatient')}/memory.db"
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        glymph.add_many([{"text": f"heron {n} " + "reed " * 2_000} for n in range(30)])
        with serving(glymph, patience=IMPATIENT) as running:
            yield running


def connect(running):
    return socket.create_connection(("127.0.0.1", running.port), timeout=ENOUGH)


def read_all(line):
    """Everything until the server closes, by an end or by a reset."""
    told = b""
    try:
        while piece := line.recv(1 << 16):
            told += piece
    except ConnectionResetError:
        return told
    return told


def message(tool, **arguments):
    return json.dumps(
        {
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
    )  # fmt: skip


def post(running, body, headers=()):
    """The status and the body of the answer to a message, with headers that may be repeated."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=ENOUGH)
    try:
        connection.putrequest("POST", "/mcp")
        data = body.encode()
        for name, value in [*PROTOCOL.items(), *headers, ("Content-Length", str(len(data)))]:
            connection.putheader(name, value)
        connection.endheaders(data)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def call(running, tool, headers=(), **arguments):
    """The result of a call, and how many bytes the answer had."""
    status, body = post(running, message(tool, **arguments), headers)
    assert status == 200, body
    data = next(line for line in body.splitlines() if line.startswith("data: {"))[6:]
    return json.loads(data)["result"], len(body)


# Time


def test_a_client_that_sends_nothing_is_closed(impatient):
    with connect(impatient) as line:
        assert read_all(line) == b""


def test_a_header_byte_by_byte_is_closed(impatient):
    sent = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + b"x" * 100_000
    with connect(impatient) as line:
        line.settimeout(0.02)
        try:
            for at in range(len(sent)):
                line.sendall(sent[at : at + 1])
                try:
                    assert line.recv(100) == b""
                except TimeoutError:
                    continue
                break
        except (BrokenPipeError, ConnectionResetError):
            assert at > 0
        assert at < len(sent) - 1


def test_a_body_that_never_ends_is_closed(impatient):
    head = "".join(f"{name}: {value}\r\n" for name, value in PROTOCOL.items())
    with connect(impatient) as line:
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}Content-Length: 5000\r\n\r\n{{".encode()
        )
        assert b"200" not in read_all(line)


def test_a_connection_may_be_used_again_but_not_kept_for_nothing(impatient):
    ask = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with connect(impatient) as line:
        for _ in range(2):
            line.sendall(ask)
            answer = b""
            while not answer.endswith(b'{"status":"ok"}'):
                answer += line.recv(1 << 16)
        assert read_all(line) == b""
    with connect(impatient) as line:
        line.sendall(ask + ask[:20])  # the next one begins and does not end
        assert read_all(line).count(b"200 OK") == 1


def test_a_client_that_reads_no_answer_is_closed(impatient):
    head = "".join(f"{name}: {value}\r\n" for name, value in PROTOCOL.items())
    body = message("memory_search", query="heron", limit=30)
    with socket.socket() as line:
        line.settimeout(ENOUGH)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", impatient.port))
        line.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}Content-Length: {len(body)}\r\n\r\n"
            f"{body}".encode()
        )
        answer = line.recv(1)  # it has come, and waits to be read
        for _ in range(6_000):
            if not impatient.server.server_state.connections:
                break
            threading.Event().wait(0.01)
        answer += read_all(line)
    assert b"200 OK" in answer
    assert not answer.endswith(b"\r\n0\r\n\r\n")


def test_a_slow_answer_is_waited_for_however_long_it_takes(impatient):
    """The times are those of the client, not of the server."""
    found, _ = call(impatient, "memory_search", query="heron", limit=20)
    assert found["structuredContent"]["hits"]


# Size


def test_eight_large_searches_at_once_get_an_answer_of_bounded_size_each(store):
    glymph, _ = store
    glymph.add_many([{"text": f"heron {n} " + f"reed{n % 7} " * 2_000} for n in range(40)])
    with serving(glymph) as running, ThreadPoolExecutor(8) as pool:
        asked = [
            pool.submit(call, running, "memory_search", query="heron", limit=1000) for _ in range(8)
        ]
        for one in asked:
            found, size = one.result(ENOUGH)
            assert size < 3 * MOST_BYTES  # as text and as data
            assert found["structuredContent"]["next_cursor"]


def test_no_call_can_take_the_connections_that_another_one_needs():
    assert 2 * (AT_ONCE + LARGE_AT_ONCE) <= 16


# Health


def test_health_is_answered_while_every_call_waits(store):
    glymph, url = store
    with serving(glymph) as running, ThreadPoolExecutor(8) as pool:
        other = apsw.Connection(url.removeprefix("sqlite:///"))
        other.execute("BEGIN IMMEDIATE")  # nobody can write now
        try:
            waiting = [
                pool.submit(call, running, "memory_add", text=f"The heron has {n} eggs.")
                for n in range(8)
            ]
            for _ in range(20):
                connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=ENOUGH)
                connection.request("GET", "/healthz")
                assert connection.getresponse().status == 200
                connection.close()
            assert not any(one.done() for one in waiting)
        finally:
            other.execute("ROLLBACK")
            other.close()
        assert all(one.result(ENOUGH)[0]["structuredContent"]["created"] for one in waiting)


# Spaces


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_search", {"query": "heron"}),
        ("memory_recall", {"query": "heron"}),
        ("memory_get", {"id": "x"}),
        ("get_memory_health", {}),
        ("get_operations", {}),
        ("memory_delete", {"ids": ["x"]}),
        ("undo_operation", {}),
        ("analyze_memory", {}),
        ("memory_add", {"text": 5}),
    ],
)
def test_a_space_is_not_made_by_looking_for_something_in_it(store, tool, arguments):
    glymph, url = store
    with serving(glymph, url=url, any_space=True) as running:
        told, _ = call(running, tool, [("Glymph-Space", "anna")], **arguments)
        assert told["isError"]
        if tool != "memory_add":
            assert "SpaceNotFound" in told["content"][0]["text"]
            assert "memory_add" in told["content"][0]["text"]
    assert [space.name for space in glymph.spaces()] == ["default"]


def test_a_space_is_made_by_what_is_put_into_it(store):
    glymph, url = store
    here = [("Glymph-Space", "anna")]
    with serving(glymph, url=url, any_space=True) as running:
        assert call(running, "memory_search", here, query="heron")[0]["isError"]
        call(running, "memory_add", here, text="The heron belongs to Anna.")
        found, _ = call(running, "memory_search", here, query="heron")
        assert len(found["structuredContent"]["hits"]) == 1
    assert {space.name for space in glymph.spaces()} == {"default", "anna"}


@pytest.mark.parametrize(
    "headers",
    [
        [("Glymph-Space", "anna"), ("glymph-space", "bert")],
        [("Glymph-Space", "anna"), ("Glymph-Space", "anna")],
        [("Authorization", "Bearer x"), ("Authorization", "Bearer y")],
    ],
)
def test_a_header_that_is_there_twice_is_refused(store, headers):
    glymph, url = store
    with serving(glymph, url=url, any_space=True) as running:
        status, told = post(running, message("memory_add", text="The heron is whose?"), headers)
        assert (status, json.loads(told)["error"]) == (400, "BadRequest")
    assert [space.name for space in glymph.spaces()] == ["default"]


# The token of this machine


def open_door(address, names, *, no_token):
    door = parse_door(address, names, no_token=no_token, option="http")
    return add_token(door, no_token=no_token)


def test_on_loopback_the_first_start_makes_a_token_for_its_owner_alone():
    door = open_door("127.0.0.1:0", (), no_token=False)
    path = environment.token_path()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert door.token == path.read_text().strip()
    assert len(door.token) == 64
    assert open_door("localhost:0", (), no_token=False).token == door.token
    assert list(path.parent.iterdir()) == [path]


def test_without_the_token_nobody_comes_in_on_loopback(store):
    glymph, _ = store
    token = open_door("127.0.0.1:0", (), no_token=False).token
    with serving(glymph, token=token) as running:
        status, told = post(running, message("memory_search", query="heron"))
        assert (status, json.loads(told)["error"]) == (401, "Unauthorized")
        call(running, "memory_search", [("Authorization", f"Bearer {token}")], query="heron")


def test_the_operator_may_do_without_a_token_on_loopback_only(monkeypatch):
    assert open_door("127.0.0.1:0", (), no_token=True).token == ""
    assert not environment.token_path().exists()
    with pytest.raises(InvalidInput, match="GLYMPH_TOKEN"):
        open_door("0.0.0.0:0", (), no_token=True)
    with pytest.raises(InvalidInput, match="GLYMPH_TOKEN"):
        open_door("0.0.0.0:0", (), no_token=False)
    monkeypatch.setenv("GLYMPH_TOKEN", "a-secret-that-is-long-enough")
    assert open_door("127.0.0.1:0", (), no_token=False).token == "a-secret-that-is-long-enough"
    with pytest.raises(InvalidInput, match="one of them"):
        open_door("127.0.0.1:0", (), no_token=True)
    assert not environment.token_path().exists()


@pytest.mark.parametrize(("mode", "content"), [(0o644, "x" * 64), (0o600, "short"), (0o600, "")])
def test_a_token_that_others_may_read_or_guess_is_refused(mode, content):
    path = environment.make_home() / "token"
    path.write_text(content)
    path.chmod(mode)
    with pytest.raises(InvalidInput):
        open_door("127.0.0.1:0", (), no_token=False)
    assert path.read_text() == content
