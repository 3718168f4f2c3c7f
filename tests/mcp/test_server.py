"""The MCP server as a client meets it.

A real process on standard input and output, both protocol eras.
"""

from __future__ import annotations

import json
import os
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
from mcp import Client, StdioServerParameters, stdio_client

from glymph import Glymph, __version__
from glymph.tools import all_tools, tools_for
from tests.mcp.looking import TEXT, check, look_at_everything

GLYMPH = str(Path(sys.executable).with_name("glymph"))
NOBODY = "01900000-0000-7000-8000-000000000000"
SOURCES = {"PYTHONPATH": os.environ.get("PYTHONPATH", "")}  # those under test
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


@dataclass(frozen=True)
class Agent:
    """The SDK's client on a server process of its own, called without async."""

    portal: object
    client: Client
    url: str
    complaints: Path  # what the server said on standard error

    def tools(self):
        return self.portal.call(self.client.list_tools).tools

    def call(self, name, /, **arguments):
        return self.portal.call(self.client.call_tool, name, arguments)

    def ask(self, name, /, **arguments):
        """The structured answer of a call that must succeed."""
        answer = self.call(name, **arguments)
        assert not answer.is_error, answer.content[0].text
        return answer.structured_content

    def refusal(self, name, /, **arguments):
        """The readable text of a call that must fail."""
        answer = self.call(name, **arguments)
        assert answer.is_error
        assert answer.structured_content is None
        return answer.content[0].text

    def call_at_once(self, name, many):
        """Several calls in flight together; their structured answers."""

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
def agent_on(portal, url, folder, *options, mode="auto", answers="data"):
    complaints = folder / f"stderr-{len(list(folder.iterdir()))}.txt"
    parameters = StdioServerParameters(
        command=GLYMPH,
        args=["mcp", "--url", url, "--answers", answers, *options],
        env={**SOURCES, "HOME": str(folder), "GLYMPH_EMBEDDER": "none"},
    )
    with complaints.open("w") as errlog:
        client = Client(stdio_client(parameters, errlog=errlog), mode=mode)
        with portal.wrap_async_context_manager(client):
            yield Agent(portal, client, url, complaints)


@pytest.fixture(scope="module", params=ERAS)
def agent(request, portal, tmp_path_factory):
    """One server with every tool, shared by the tests of one era: each uses words of its own."""
    folder = tmp_path_factory.mktemp(request.param)
    url = f"sqlite:///{folder}/memory.db"
    with agent_on(portal, url, folder, "--profile", "full", mode=request.param) as agent:
        yield agent


def test_every_operation_of_a_conversation_names_it(portal, tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    for given in ((), (), ("--session", "standup")):
        with agent_on(portal, url, tmp_path, *given) as agent:
            agent.call("memory_add", text=f"Crate {len(given)} is told by a session of its own.")
    with Glymph.open(url) as glymph:
        sessions = [one.session for one in glymph.operations() if one.verb == "add"]
        actors = {one.actor for one in glymph.operations() if one.verb == "add"}
    assert sessions[0] == "standup"
    assert len(set(sessions)) == len(sessions)
    assert all(one.startswith("mcp-") for one in sessions[1:])
    assert actors == {"agent"}


def test_the_server_says_who_it_is_in_both_eras(agent):
    assert agent.client.protocol_version == ERAS[agent.client.mode]
    assert (agent.client.server_info.name, agent.client.server_info.version) == (
        "glymph",
        __version__,
    )
    assert "long-term memory" in agent.client.session.instructions
    assert agent.client.server_capabilities.tools is not None


def test_it_lists_every_tool_with_its_schema_and_annotations(agent):
    listed = {tool.name: tool for tool in agent.tools()}
    assert set(listed) == set(all_tools())
    for name, tool in all_tools().items():
        shown = listed[name]
        assert shown.description == tool.description
        assert shown.input_schema == tool.schema
        assert shown.annotations.read_only_hint is tool.read_only
        assert shown.annotations.destructive_hint is tool.destructive
        assert shown.annotations.idempotent_hint is tool.idempotent
        assert shown.annotations.open_world_hint is False


def test_a_memory_is_added_found_used_deleted_and_brought_back(agent):
    added = agent.ask(
        "memory_add", text="The heron nests by the mill.", kind="fact", tags=["birds"]
    )
    assert added["created"] is True
    memory = added["id"]

    hit = agent.ask("memory_search", query="where does the heron nest?")["hits"][0]
    assert (hit["id"], hit["text"], hit["tags"]) == (
        memory,
        "The heron nests by the mill.",
        ["birds"],
    )

    recalled = agent.ask("memory_recall", query="heron")
    assert [hit["id"] for hit in recalled["hits"]] == [memory]
    told = agent.ask("memory_report", recall_id=recalled["recall_id"], confirmed=[memory])
    assert told["succeeded"] == [memory]
    assert agent.ask("memory_get", id=memory)["memory"]["access_count"] == 1

    deleted = agent.ask("memory_delete", ids=[memory], reason="it moved")
    assert (deleted["succeeded"], deleted["recoverable_until"] is not None) == ([memory], True)
    assert agent.ask("memory_search", query="heron")["hits"] == []

    undone = agent.ask("undo_operation", operation_id=deleted["operation_id"])
    assert undone["succeeded"] == [memory]
    assert agent.ask("memory_get", id=memory)["memory"]["state"] == "LIVE"


def test_the_text_of_an_answer_says_the_same_as_its_structure(agent):
    answer = agent.call("memory_add", text="Grüße → 你好 🐦")
    assert json.loads(answer.content[0].text) == answer.structured_content
    found = agent.ask("memory_get", id=answer.structured_content["id"])
    assert found["memory"]["text"] == "Grüße → 你好 🐦"


def test_the_server_shows_a_digest_memories_and_a_prompt(agent):
    agent.ask("memory_add", text=TEXT, kind="preference")
    check(agent.portal.call(look_at_everything, agent.client))


def test_the_agent_is_named_in_the_journal(agent):
    agent.ask("memory_add", text="The otter sleeps at noon.")
    with Glymph.open(agent.url) as glymph:
        assert {op.actor for op in glymph.operations(limit=5)} == {"agent"}


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("memory_burn", {}, ["UnknownTool", "memory_burn", "memory_add"]),
        ("memory_add", {}, ["InvalidInput", "text: is missing"]),
        ("memory_add", {"text": 5}, ["InvalidInput", "text: 5 is no text", "string"]),
        ("memory_add", {"text": None}, ["InvalidInput", "text: "]),
        (
            "memory_add",
            {"text": "fine", "colour": "red"},
            ["InvalidInput", "colour: there is no such"],
        ),
        ("forget_concept", {"plan_id": "abc123"}, ["plan_id: ", "Did you mean 'plan'?"]),
        ("memory_recall", {"quary": "x"}, ["query: is missing", "Did you mean 'query'?"]),
        ("memory_recall", {"query": "x", "limit": "many"}, ["limit: 'many' is no whole number"]),
        ("memory_add", {"text": 5, "trust": 7}, ["text: ", "trust: "]),
        (
            "memory_add",
            {"text": "word " * 40_000},
            ["InvalidInput", "200,000 characters; at most 100,000"],
        ),
        ("memory_add", {"text": "a\0b"}, ["InvalidInput", "NUL"]),
        ("memory_add", {"text": "fine", "title": "a\0b"}, ["InvalidInput", "title", "NUL"]),
        (
            "memory_add",
            {"text": "fine", "attributes": {"a": ["\0"]}},
            ["InvalidInput", "attributes", "NUL"],
        ),
        ("memory_add", {"text": "fine", "attributes": "a lot"}, ["InvalidInput", "attributes: "]),
        ("memory_add", {"text": "fine", "event_at": "soon"}, ["InvalidInput", "event_at: "]),
        ("memory_add", {"text": "a fine day", "links": [NOBODY]}, ["MemoryNotFound", NOBODY]),
        ("memory_get", {"id": NOBODY}, ["MemoryNotFound", NOBODY]),
        ("memory_get", {"id": "a\0b"}, ["MemoryNotFound"]),
        ("memory_get", {"id": "x" * 100_000}, ["MemoryNotFound"]),
        ("memory_update", {"id": NOBODY, "text": "fine"}, ["MemoryNotFound", NOBODY]),
        (
            "memory_report",
            {"recall_id": NOBODY, "used": []},
            ["RecallNotFound", "memory_recall again"],
        ),
        ("memory_search", {"query": ""}, ["InvalidInput", "query"]),
        ("memory_search", {"query": "x" * 20_001}, ["InvalidInput", "query", "at most 20,000"]),
        ("memory_search", {"query": "fine", "limit": 10**30}, ["InvalidInput", "limit: "]),
        (
            "memory_search",
            {"query": "fine", "states": ["GONE"]},
            ["InvalidInput", "LIVE, ARCHIVED, TRASHED"],
        ),
        ("memory_delete", {"ids": []}, ["InvalidInput", "ids: "]),
        ("memory_delete", {"ids": ["a", "b", "c", "d", "e", "f"]}, ["InvalidInput", "ids: ", "5"]),
        ("undo_operation", {"operation_id": NOBODY}, ["OperationNotFound", NOBODY]),
        ("memory_write", {"text": "word " * 601}, ["InvalidInput", "600"]),
    ],
    ids=lambda value: str(value)[:40] if not isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_answered_in_words_and_the_server_lives_on(
    agent, name, arguments, words
):
    told = agent.refusal(name, **arguments)
    for word in words:
        assert word in told
    assert len(told) <= 2_000
    assert "Traceback" not in told
    assert agent.ask("get_memory_health")["space"] == "default"


def test_ids_that_are_unknown_among_others_are_named_in_the_receipt(agent):
    memory = agent.ask("memory_add", text="The newt is shy.")["id"]
    done = agent.ask("memory_delete", ids=[memory, NOBODY], action="archive")
    assert done["succeeded"] == [memory]
    assert done["failed"] == [{"id": NOBODY, "reason": "no such memory in this space"}]


def test_many_calls_in_flight_at_once_are_all_answered(agent):
    added = agent.call_at_once("memory_add", numbered("swallow"))
    assert len({answer["id"] for answer in added}) == 15
    found = agent.ask("memory_search", query="swallow", limit=50)["hits"]
    # Behind them may stand what was told just before or after, in the same conversation.
    assert {hit["id"] for hit in found[:15]} == {answer["id"] for answer in added}


def test_the_server_complained_about_nothing(agent):
    agent.ask("get_memory_health")
    assert agent.complaints.read_text() == ""


def numbered(bird):
    return [{"text": f"{bird} number {n}"} for n in range(15)]


def test_two_clients_work_on_one_file_at_once_and_see_what_their_profile_shows(portal, tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with (
        agent_on(portal, url, tmp_path) as one,
        agent_on(portal, url, tmp_path, "--profile", "curator", "--actor", "curator") as two,
    ):
        assert {tool.name for tool in one.tools()} == set(tools_for("core"))
        assert {tool.name for tool in two.tools()} == set(tools_for("curator"))
        assert "UnknownTool" in one.refusal("pin_memory", id=NOBODY)

        seen = one.ask("memory_add", text="The kestrel hovers.")["id"]
        assert two.ask("memory_search", query="kestrel")["hits"][0]["id"] == seen
        two.ask("pin_memory", id=seen)
        assert (
            one.ask("batch_prune", node_ids=[seen])["skipped"][0]["reason"]
            == "it is pinned; unpin it first"
        )

        birds = ((one, "finch"), (two, "wren"))
        with ThreadPoolExecutor() as pool:
            done = pool.map(
                lambda pair: pair[0].call_at_once("memory_add", numbered(pair[1])), birds
            )
            assert all(answer["created"] for answers in done for answer in answers)
        assert one.ask("memory_recall", query="wren", limit=100)["hits"][14]
    with Glymph.open(url) as glymph:
        assert glymph.verify().ok
        assert glymph.health().live == 31
        actors = {op.actor for op in glymph.operations(limit=100)}
        assert actors - {"reconcile"} == {"agent", "curator"}


# Without the SDK: what is on the wire


@contextmanager
def bare_server(url, home):
    running = subprocess.Popen(
        [GLYMPH, "mcp", "--url", url, "--answers", "data"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**SOURCES, "HOME": str(home), "PATH": os.defpath, "GLYMPH_EMBEDDER": "none"}, text=True, encoding="utf-8",
    )  # fmt: skip
    watchdog = threading.Timer(60, running.kill)
    watchdog.start()
    try:
        yield running
    finally:
        watchdog.cancel()
        running.kill()
        running.communicate()


def test_nothing_but_the_protocol_is_on_standard_output_and_a_hang_up_ends_it_well(url, tmp_path):
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "bare", "version": "1"},
    }
    requests = [
        ("initialize", hello),
        ("tools/list", {}),
        ("tools/call", {"name": "memory_add", "arguments": {"text": "The toad croaks."}}),
        ("tools/call", {"name": "memory_get", "arguments": {"id": NOBODY}}),
        ("tools/call", {"name": "memory_add", "arguments": "not an object"}),
        ("no/such/method", {}),
        ("tools/call", {"name": "memory_recall", "arguments": {"query": "toad"}}),
    ]
    with bare_server(url, tmp_path) as server:
        answers = []
        for number, (method, parameters) in enumerate(requests):
            server.stdin.write("this line is not JSON\n" if number == 3 else "")
            message = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            answers.append(json.loads(server.stdout.readline()))
            if method == "initialize":
                server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        rest, complaints = server.communicate()
        assert (rest, complaints, server.returncode) == ("", "", 0)
    assert [answer["id"] for answer in answers] == list(range(len(requests)))
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert answers[3]["result"]["isError"] is True
    assert "error" in answers[4]
    assert "error" in answers[5]
    assert answers[6]["result"]["structuredContent"]["hits"][0]["text"] == "The toad croaks."


def test_a_server_that_cannot_open_its_store_says_why_and_says_nothing_on_standard_output(tmp_path):
    (tmp_path / "notes.txt").write_text("dear diary, " * 1000)
    with bare_server(f"sqlite:///{tmp_path}/notes.txt", tmp_path) as server:
        out, complaints = server.communicate()
        assert (out, server.returncode) == ("", 1)
        assert complaints.startswith("glymph: ")
        assert "is not a Glymph store" in complaints
        assert complaints.count("\n") == 1
