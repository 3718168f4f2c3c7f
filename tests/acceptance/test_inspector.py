"""The MCP Inspector, a client we did not write, lists and calls our tools over both transports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from glymph import Glymph
from glymph.tools import all_tools, tools_for
from tests.mcp.test_http import server
from tests.programs import find_npm_program

PACKAGE = "@modelcontextprotocol/inspector@0.15.0"
GLYMPH = Path(sys.executable).with_name("glymph")
NOBODY = "01900000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def inspector():
    """The Inspector's program: the one in the cache, or one installed there now."""
    return find_npm_program("inspector", PACKAGE, "mcp-inspector")


@pytest.fixture
def inspect(inspector, url, tmp_path):
    """Runs the Inspector's command line against a server of its own.

    Gives back what it printed as JSON.
    """

    def run(method, *more, options=()):
        command = [
            inspector,
            "--cli",
            GLYMPH,
            "mcp",
            "--url",
            url,
            "--answers",
            "data",
            *options,
            "--method",
            method,
            *more,
        ]
        env = {name: os.environ.get(name, "") for name in ("PATH", "PYTHONPATH")}
        env["HOME"] = str(tmp_path)
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_the_inspector_lists_the_tools_of_a_profile_with_their_annotations(inspect):
    listed = {
        tool["name"]: tool for tool in inspect("tools/list", options=("--profile", "full"))["tools"]
    }
    assert set(listed) == set(tools_for("full"))
    for name, tool in all_tools().items():
        assert listed[name]["description"] == tool.description
        assert listed[name]["inputSchema"] == tool.schema
        assert listed[name]["annotations"] == {
            "readOnlyHint": tool.read_only,
            "destructiveHint": tool.destructive,
            "idempotentHint": tool.idempotent,
            "openWorldHint": False,
        }


def call(inspect, tool, **arguments):
    given = (f"{name}={value}" for name, value in arguments.items())
    return inspect(
        "tools/call",
        "--tool-name",
        tool,
        *(part for pair in given for part in ("--tool-arg", pair)),
    )


def test_the_inspector_adds_a_memory_and_finds_it_again(inspect, url):
    text = "The kettle whistles at four."
    added = call(
        inspect,
        "memory_add",
        text=text,
        kind="fact",
        tags='["tea", "home"]',
        salience=0.9,
        pinned="true",
    )
    assert (added["isError"], added["structuredContent"]["created"]) == (False, True)
    with Glymph.open(url) as glymph:
        memory = glymph.get(added["structuredContent"]["id"])
    assert (memory.text, memory.kind, memory.salience, memory.pinned) == (text, "fact", 0.9, True)
    assert set(memory.tags) == {"tea", "home"}
    found = call(inspect, "memory_recall", query="when does the kettle whistle?", kinds='["fact"]')
    assert [hit["id"] for hit in found["structuredContent"]["hits"]] == [memory.id]


def test_the_inspector_gets_a_refusal_as_a_readable_answer(inspect):
    told = call(inspect, "memory_get", id=NOBODY)
    assert told["isError"] is True
    assert told["content"][0]["text"].startswith(
        f"MemoryNotFound (memory_get): No memory '{NOBODY}'"
    )


def test_the_inspector_works_over_http_and_gets_an_answer_in_words(inspector, url, tmp_path):
    with server(url, tmp_path, "--answers", "text") as running:
        where = [inspector, "--cli", running.address, "--transport", "http"]
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

        def ask(*words):
            command = [*where, "--method", *words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env)
            assert done.returncode == 0, done.stderr
            return json.loads(done.stdout)

        given = ("--tool-name", "memory_add", "--tool-arg", "text=The kettle whistles at four.")
        answer = ask("tools/call", *given)
        assert "structuredContent" not in answer
        assert answer["content"][0]["text"].startswith("remembered ")
        (prompt,) = ask("prompts/list")["prompts"]
        assert prompt["name"] == "review_memory"
        digest = ask("resources/read", "--uri", "memory://digest")
        assert digest["contents"][0]["uri"] == "memory://digest"
