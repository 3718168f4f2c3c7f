"""The MCP server over HTTP as clients meet it: a real process, the SDK's client, and bare requests."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from glymph import Glymph
from glymph.errors import InvalidInput
from glymph.mcp.http import MOST_BYTES, Door, application
from glymph.mcp.server import server_for
from glymph.mcp.spaces import Handles
from glymph.tools import tools_for
from tests.mcp.looking import TEXT, check, look_at_everything

GLYMPH = str(Path(sys.executable).with_name("glymph"))
SOURCES = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}  # those under test
DATA = ("--answers", "data", "--profile", "curator")
NOBODY = "01900000-0000-7000-8000-000000000000"
TOKEN = "a-secret-that-is-long-enough-0123456789"
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
ENOUGH = 60.0  # seconds


@dataclass
class Running:
    """A server process and where it listens."""

    process: subprocess.Popen
    port: int
    log: list[str]
    reader: threading.Thread

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/mcp"

    def end(self, number=signal.SIGTERM):
        """The exit status after a signal."""
        self.process.send_signal(number)
        status = self.process.wait(ENOUGH)
        self.reader.join(ENOUGH)
        return status

    def said(self):
        return "".join(self.log)


@contextmanager
def server(url, home, *options, token="", open_to_all=True, at="127.0.0.1:0"):
    """A server that listens. It is killed in the end if it still runs."""
    options = (*options, "--no-token") if open_to_all and not token else options
    environment = {
        **SOURCES,
        "HOME": str(home),
        "PATH": os.defpath,
        "GLYMPH_EMBEDDER": "none",
        "GLYMPH_TOKEN": token,
    }
    process = subprocess.Popen(
        [GLYMPH, "mcp", "--http", at, "--url", url, *DATA, *options],
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    log, listening = [], threading.Event()

    def read():
        for line in process.stderr:
            log.append(line)
            if "listening on" in line:
                listening.set()
        listening.set()

    reader = threading.Thread(target=read)
    reader.start()
    try:
        assert listening.wait(ENOUGH)
        found = re.search(r"listening on http://\S+:(\d+)/mcp", "".join(log))
        assert found, "".join(log)
        yield Running(process, int(found[1]), log, reader)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stderr.close()


@dataclass(frozen=True)
class Agent:
    """The SDK's client, called without async."""

    portal: object
    client: Client

    def tools(self):
        return {tool.name for tool in self.portal.call(self.client.list_tools).tools}

    def call(self, name, /, **arguments):
        return self.portal.call(self.client.call_tool, name, arguments)

    def ask(self, name, /, **arguments):
        answer = self.call(name, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    def refusal(self, name, /, **arguments):
        answer = self.call(name, **arguments)
        assert answer.is_error
        return answer.content[0].text

    def ask_at_once(self, name, many):
        async def run():
            answers = [None] * len(many)

            async def one(at):
                answers[at] = (await self.client.call_tool(name, many[at])).structured_content

            async with anyio.create_task_group() as group:
                for at in range(len(many)):
                    group.start_soon(one, at)
            return answers

        return self.portal.call(run)


@pytest.fixture(scope="module")
def portal():
    with start_blocking_portal() as portal:
        yield portal


@contextmanager
def agent_at(portal, address, *, mode="auto", **headers):
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    with portal.wrap_async_context_manager(create_mcp_http_client(given)) as http_client:
        client = Client(streamable_http_client(address, http_client=http_client), mode=mode)
        with portal.wrap_async_context_manager(client):
            yield Agent(portal, client)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One server without a token, for tests that use words of their own."""
    folder = tmp_path_factory.mktemp("shared")
    with server(f"sqlite:///{folder}/memory.db", folder) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """One server with a token."""
    folder = tmp_path_factory.mktemp("guarded")
    with server(f"sqlite:///{folder}/memory.db", folder, token=TOKEN) as running:
        yield running


def request(running, method, path, body=None, **headers):
    """The status, headers and body of the answer to a bare request."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=ENOUGH)
    try:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, given)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def hello(running, **headers):
    """The answer to the first message of a client."""
    content = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}
        },
    }  # fmt: skip
    usual = {"Content_Type": "application/json", "Accept": "application/json, text/event-stream"}
    return request(running, "POST", "/mcp", json.dumps(content), **(usual | headers))


# Work


@pytest.mark.parametrize("mode", ERAS)
def test_a_memory_is_added_recalled_deleted_and_brought_back_in_both_eras(portal, shared, mode):
    with agent_at(portal, shared.address, mode=mode) as agent:
        assert agent.client.protocol_version == ERAS[mode]
        assert agent.tools() == set(tools_for("curator"))
        memory = agent.ask("memory_add", text=f"The {mode} heron nests by the mill.")["id"]
        recalled = agent.ask("memory_recall", query=f"{mode} heron")
        assert recalled["hits"][0]["id"] == memory
        assert agent.ask("memory_report", recall_id=recalled["recall_id"], used=[memory])[
            "succeeded"
        ] == [memory]
        deleted = agent.ask("memory_delete", ids=[memory])
        assert agent.ask("undo_operation", operation_id=deleted["operation_id"])["succeeded"] == [
            memory
        ]
        assert agent.ask("memory_get", id=memory)["memory"]["state"] == "LIVE"
        agent.ask("memory_add", text=TEXT, kind="preference")
        check(portal.call(look_at_everything, agent.client))


def test_errors_are_told_as_over_standard_input(portal, shared):
    with agent_at(portal, shared.address) as agent:
        assert "MemoryNotFound" in agent.refusal("memory_get", id=NOBODY)
        assert "text: is missing" in agent.refusal("memory_add")
        assert "UnknownTool" in agent.refusal("memory_burn")
        assert "at most 100,000" in agent.refusal("memory_add", text="word " * 40_000)


def test_the_longest_text_fits_into_a_request(portal, shared):
    with agent_at(portal, shared.address) as agent:
        text = " ".join(f"bird🐦{number}" for number in range(20_000))[:100_000].strip()
        memory = agent.ask("memory_add", text=text)["id"]
        assert agent.ask("memory_get", id=memory)["memory"]["text"] == text


def test_two_clients_at_once_lose_nothing(portal, tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with server(url, tmp_path, "--profile", "full") as running:
        with (
            agent_at(portal, running.address) as one,
            agent_at(portal, running.address, mode="legacy") as two,
        ):
            birds = ((one, "finch"), (two, "wren"))
            with ThreadPoolExecutor() as pool:
                done = pool.map(
                    lambda pair: pair[0].ask_at_once(
                        "memory_add", [{"text": f"{pair[1]} number {n}"} for n in range(12)]
                    ),
                    birds,
                )
                assert all(answer["created"] for answers in done for answer in answers)
            for agent, bird in ((one, "wren"), (two, "finch")):
                hits = agent.ask("memory_search", query=bird, limit=24)["hits"]
                assert sum(bird in hit["text"] for hit in hits) == 12
        assert running.end() == 0
    with Glymph.open(url) as glymph:
        assert (glymph.verify().ok, glymph.health().live) == (True, 24)


# Spaces


def test_a_server_of_one_space_refuses_to_work_on_another(portal, shared):
    with agent_at(portal, shared.address, Glymph_Space="default") as agent:
        assert agent.ask("memory_search", query="anything") is not None
    with agent_at(portal, shared.address, Glymph_Space="other") as agent:
        told = agent.refusal("memory_add", text="The crane belongs elsewhere.")
        assert "Glymph-Space" in told
        assert "--any-space" in told
    with agent_at(portal, shared.address) as agent:
        assert agent.ask("memory_search", query="crane")["hits"] == []


def test_with_any_space_the_header_chooses_and_spaces_stay_apart(portal, tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with server(url, tmp_path, "--any-space") as running:
        for space in ("anna", "caf%C3%A9"):
            with agent_at(portal, running.address, Glymph_Space=space) as agent:
                agent.ask("memory_add", text=f"The gull of {space} cries.")
                assert len(agent.ask("memory_search", query="gull")["hits"]) == 1
        with agent_at(portal, running.address) as agent:
            assert agent.ask("memory_search", query="gull")["hits"] == []
        for wrong in ("no spaces", "%FF"):
            with agent_at(portal, running.address, Glymph_Space=wrong) as agent:
                assert "InvalidInput" in agent.refusal("memory_search", query="gull")
        assert running.end() == 0
    with Glymph.open(url) as glymph:
        assert {space.name for space in glymph.spaces()} == {"default", "anna", "café"}
        assert glymph.verify().ok


# Who may come in


@pytest.mark.parametrize(
    "header",
    [None, "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", "Bearer", "Bearer \xff"],
)  # fmt: skip
def test_without_the_right_token_nobody_comes_in(guarded, header):
    headers = {} if header is None else {"Authorization": header.encode("latin-1")}
    status, answered, body = hello(guarded, **headers)
    assert (status, answered["www-authenticate"]) == (401, "Bearer")
    told = json.loads(body)
    assert told["error"] == "Unauthorized"
    assert "Authorization: Bearer" in told["message"]
    assert TOKEN not in body


def test_with_the_right_token_a_client_works(portal, guarded):
    with agent_at(portal, guarded.address, Authorization=f"Bearer {TOKEN}") as agent:
        assert agent.ask("memory_add", text="The guarded goose honks.")["created"] is True


def test_a_client_without_the_token_cannot_connect(portal, guarded):
    with pytest.raises(ExceptionGroup) as failure, agent_at(portal, guarded.address):
        pytest.fail("it came in")
    assert failure.group_contains(MCPError, match="error response")


def test_the_token_is_in_no_log_and_no_answer(portal, tmp_path):
    with server(f"sqlite:///{tmp_path}/memory.db", tmp_path, token=TOKEN) as running:
        with agent_at(portal, running.address, Authorization=f"Bearer {TOKEN}") as agent:
            agent.refusal("memory_get", id=NOBODY)
        assert hello(running, Authorization="Bearer wrong-wrong-wrong")[0] == 401
        assert running.end() == 0
        assert "stopped" in running.said()
        for secret in (TOKEN, "wrong-wrong-wrong"):
            assert secret not in running.said()


@pytest.mark.parametrize("at", ["0.0.0.0:0", "[::]:0", "memory.example.org:8765"])
def test_a_server_that_others_can_reach_does_not_start_without_a_token(tmp_path, at):
    done = subprocess.run(
        [GLYMPH, "mcp", "--http", at, "--url", f"sqlite:///{tmp_path}/memory.db"], capture_output=True, text=True,
        env={**SOURCES, "HOME": str(tmp_path), "PATH": os.defpath}, timeout=ENOUGH, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert "GLYMPH_TOKEN" in done.stderr
    assert "127.0.0.1" in done.stderr
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize(
    "address", ["8765", "localhost", ":8765", "127.0.0.1:http", "127.0.0.1:65536", "::1:"]
)
def test_an_address_that_is_none_is_refused_with_an_example(address):
    with pytest.raises(InvalidInput, match=r"127\.0\.0\.1:8765"):
        Door.parse(address, "", ())


def test_a_short_token_is_refused_and_never_shown():
    with pytest.raises(InvalidInput, match="openssl rand"):
        Door.parse("127.0.0.1:0", "short", ())
    assert TOKEN not in repr(Door.parse("127.0.0.1:0", TOKEN, ()))


def test_a_port_that_is_taken_is_told_in_one_line(shared, tmp_path):
    done = subprocess.run(
        [GLYMPH, "mcp", "--http", f"127.0.0.1:{shared.port}", "--url", f"sqlite:///{tmp_path}/memory.db"],
        capture_output=True, text=True, env={**SOURCES, "HOME": str(tmp_path), "PATH": os.defpath}, timeout=ENOUGH,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert re.fullmatch(
        r"glymph: http: cannot listen on .*port 0 means any that is free\.\n", done.stderr
    )


def test_answers_do_not_wait_for_acknowledgements():
    with Door.parse("127.0.0.1:0", "", ()).open() as listening:
        assert (
            listening.proto == socket.IPPROTO_TCP
        )  # without it asyncio leaves Nagle's algorithm on


def test_a_call_does_not_make_the_schemas_of_all_tools(tmp_path):
    with Glymph.open(f"sqlite:///{tmp_path}/memory.db") as glymph:
        made = server_for(lambda *_: glymph, "full")
        application(made, Handles(glymph), Door.parse("127.0.0.1:0", "", ()))
    for name, tool in tools_for("full").items():
        assert made.get_tool_input_schema(name) is None
        assert "x-mcp-header" not in json.dumps(tool.schema)  # so there is nothing to look for


def test_options_of_a_server_need_one(tmp_path):
    done = subprocess.run(
        [GLYMPH, "mcp", "--any-space"], capture_output=True, text=True,
        env={**SOURCES, "HOME": str(tmp_path), "PATH": os.defpath}, timeout=ENOUGH, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "--http HOST:PORT" in done.stderr


def test_names_and_pages_from_elsewhere_are_refused_on_loopback(shared):
    assert hello(shared)[0] == 200
    assert hello(shared, Host="localhost:80")[0] == 200
    assert hello(shared, Host="evil.example.org")[0] == 421
    assert hello(shared, Origin="https://evil.example.org")[0] == 403


def test_a_server_for_others_takes_any_name_but_no_page(tmp_path):
    url, key = f"sqlite:///{tmp_path}/memory.db", f"Bearer {TOKEN}"
    with server(url, tmp_path, token=TOKEN, at="0.0.0.0:0") as running:
        assert hello(running, Authorization=key, Host="memory.example.org")[0] == 200
        status, _, body = hello(running, Authorization=key, Origin="https://memory.example.org")
        assert (status, "--allow-host" in body) == (403, True)
    with server(
        url, tmp_path, "--allow-host", "memory.example.org", token=TOKEN, at="0.0.0.0:0"
    ) as running:
        assert hello(running, Authorization=key, Host="memory.example.org")[0] == 200
        assert hello(running, Authorization=key, Host="127.0.0.1:80")[0] == 200
        assert hello(running, Authorization=key, Host="evil.example.org")[0] == 421
        assert (
            hello(
                running,
                Authorization=key,
                Host="memory.example.org",
                Origin="https://memory.example.org",
            )[0]
            == 200
        )


def test_a_request_that_is_too_large_is_refused(shared):
    status, _, _ = request(
        shared, "POST", "/mcp", b"x" * (MOST_BYTES + 1), Content_Type="application/json"
    )
    assert status == 413


def test_there_is_nothing_but_the_protocol_and_the_health(shared, guarded):
    assert request(shared, "GET", "/")[0] == 404
    status, headers, body = request(shared, "GET", "/mcp")
    assert (status, headers["allow"], json.loads(body)["error"]) == (
        405,
        "POST",
        "MethodNotAllowed",
    )
    assert request(guarded, "GET", "/")[0] == 401
    assert "server" not in headers


# Health and the end


def test_health_needs_no_token_and_tells_nothing_else(guarded):
    status, _, body = request(guarded, "GET", "/healthz")
    assert (status, json.loads(body)) == (200, {"status": "ok"})


def test_a_store_that_cannot_be_read_makes_it_unhealthy_until_it_can(
    tmp_path, empty_postgres_store, postgres
):
    with server(empty_postgres_store, tmp_path) as running:
        assert request(running, "GET", "/healthz")[0] == 200
        postgres.stop()
        try:
            status, _, body = request(running, "GET", "/healthz")
        finally:
            postgres.start()
        assert (status, json.loads(body)["error"]) == (503, "Unavailable")
        assert str(empty_postgres_store.rpartition("/")[2]) not in body
        assert any(request(running, "GET", "/healthz")[0] == 200 for _ in range(20))
        assert running.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly_after_the_calls_in_flight(tmp_path, number):
    url = f"sqlite:///{tmp_path}/memory.db"
    with server(url, tmp_path) as running:
        acknowledged = written_until(running, 10, number)
        assert running.process.returncode == 0
        assert "Traceback" not in running.said()
        assert running.said().endswith("stopped\n")
    with Glymph.open(url) as glymph:
        assert set(acknowledged) <= {memory.id for memory in glymph.list(limit=1000)}


def add(running, text):
    """The id of a memory whose addition was acknowledged."""
    content = {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {"name": "memory_add", "arguments": {"text": text, "kind": "event"}},
    }  # fmt: skip
    status, _, body = request(
        running, "POST", "/mcp", json.dumps(content), Content_Type="application/json",
        Accept="application/json, text/event-stream", MCP_Protocol_Version="2025-11-25",
    )  # fmt: skip
    assert status == 200, body
    answer = json.loads(next(line for line in body.splitlines() if line.startswith("data: {"))[6:])
    return answer["result"]["structuredContent"]["id"]


def written_until(running, count, number):
    """The ids that were acknowledged to a writer that goes on until a signal has ended the server."""
    acknowledged, enough = [], threading.Event()

    def write():
        try:
            for turn in range(100_000):
                acknowledged.append(
                    add(running, f"The lapwing of field {os.urandom(6).hex()} calls {turn} times.")
                )
                if len(acknowledged) == count:
                    enough.set()
        except (OSError, http.client.HTTPException):
            return  # the server is gone

    writer = threading.Thread(target=write)
    writer.start()
    assert enough.wait(ENOUGH)
    running.end(number)
    writer.join(ENOUGH)
    assert not writer.is_alive()
    return acknowledged


@pytest.mark.parametrize(
    "engine", ["sqlite", pytest.param("postgresql", marks=pytest.mark.nightly)]
)
def test_what_was_acknowledged_is_there_after_a_kill(portal, tmp_path, request, engine):
    url = f"sqlite:///{tmp_path}/memory.db"
    if engine == "postgresql":
        url = request.getfixturevalue("empty_postgres_store")
    acknowledged = []
    for turn in range(3):
        with server(url, tmp_path) as running:
            acknowledged += written_until(running, 5 + 4 * turn, signal.SIGKILL)
            assert running.process.returncode == -signal.SIGKILL
    with server(url, tmp_path) as running, agent_at(portal, running.address) as agent:
        assert all(
            agent.ask("memory_get", id=one)["memory"]["state"] == "LIVE"
            for one in acknowledged[-5:]
        )
    with Glymph.open(url) as glymph:
        kept = {memory.id for memory in glymph.list(limit=1000, kinds=["event"])}
        assert len(set(acknowledged)) == len(acknowledged) >= 5 + 9 + 13
        assert set(acknowledged) <= kept
        assert len(kept - set(acknowledged)) <= 3  # the one answer that each kill may have cut off
        assert glymph.verify().ok


def test_two_servers_on_one_database_share_their_spaces(portal, tmp_path, empty_postgres_store):
    url = empty_postgres_store
    with (
        server(url, tmp_path, "--any-space") as first,
        server(url, tmp_path, "--any-space") as second,
    ):
        with (
            agent_at(portal, first.address, Glymph_Space="team") as one,
            agent_at(portal, second.address, Glymph_Space="team") as two,
        ):
            with ThreadPoolExecutor() as pool:  # both find that the space is missing
                texts = [
                    [{"text": f"{bird} number {n}"} for n in range(8)]
                    for bird in ("stork", "swift")
                ]
                done = list(
                    pool.map(
                        lambda pair: pair[0].ask_at_once("memory_add", pair[1]),
                        zip((one, two), texts, strict=True),
                    )
                )
            assert all(answer["created"] for answers in done for answer in answers)
            for agent, bird in ((one, "swift"), (two, "stork")):
                hits = agent.ask("memory_search", query=bird, limit=50)["hits"]
                assert sum(bird in hit["text"] for hit in hits) == 8
        assert (first.end(), second.end()) == (0, 0)
    with Glymph.open(url, space="team") as glymph:
        assert (glymph.health().live, glymph.verify().ok) == (16, True)
