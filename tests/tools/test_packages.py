"""A tool of an installed package is a command, an MCP tool and a page of the reference."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint
from glymph.tools import all_tools, extension_point
from glymph.tools.contract import Tool
from tests.packages import install_entry_points

GLYMPH = str(Path(sys.executable).with_name("glymph"))
COUNT_TAGS = """
from pydantic import Field

from glymph.tools.blocks import Table
from glymph.tools.contract import POSITIONAL, Arguments, Tool


class CountArguments(Arguments):
    tags: list[str] = Field(description="The tags to count.", json_schema_extra=POSITIONAL)


def run(glymph, args):
    return {"counts": {tag: len(glymph.list(tags=[tag])) for tag in args.tags}}


def render(result):
    yield Table(["tag", "memories>"], list(result["counts"].items()))
    yield "That is all."


TOOL = Tool(
    name="count_tags", command="count-tags", description="Count the memories of tags.",
    arguments=CountArguments, run=run, render=render, profile="core", read_only=True,
)
"""


@pytest.fixture
def package(tmp_path):
    """A folder with a package that adds the tool count_tags."""
    (tmp_path / "counting.py").write_text(COUNT_TAGS)
    return install_entry_points(tmp_path, "glymph.tools", count_tags="counting:TOOL")


@pytest.fixture
def env(package, url):
    path = os.pathsep.join(filter(None, [str(package), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "GLYMPH_URL": url, "GLYMPH_EMBEDDER": "none"}


@pytest.fixture
def run(env):
    def call(*args):
        return subprocess.run([GLYMPH, *args], capture_output=True, text=True, env=env)

    return call


def test_it_is_a_command_with_help_a_table_for_people_and_a_document_for_machines(run):
    run("add", "Tea is at four.", "--tags", "tea")
    assert re.search(r"count-tags +Count the memories of tags.\n", run("--help").stdout)
    assert "The tags to count." in run("count-tags", "--help").stdout
    said = run("count-tags", "tea", "coffee")
    lines = [line.split() for line in said.stdout.splitlines()]
    assert lines == [["tag", "memories"], ["tea", "1"], ["coffee", "0"], ["That", "is", "all."]]
    counts = json.loads(run("count-tags", "tea", "--json").stdout)
    assert counts == {"counts": {"tea": 1}}
    assert run("count-tags", "--url", "x:y").returncode == 2


def test_it_is_an_mcp_tool_with_its_schema(env, url):
    parameters = StdioServerParameters(command=GLYMPH, args=["mcp", "--answers", "data"], env=env)
    with start_blocking_portal() as portal:
        client = Client(stdio_client(parameters))
        with portal.wrap_async_context_manager(client):
            listed = {tool.name: tool for tool in portal.call(client.list_tools).tools}
            answer = portal.call(client.call_tool, "count_tags", {"tags": ["tea"]})
    assert listed["count_tags"].input_schema["required"] == ["tags"]
    assert listed["count_tags"].annotations.read_only_hint is True
    assert answer.structured_content == {"counts": {"tea": 0}}


def test_it_stands_in_the_reference_like_a_built_in_one(env):
    script = "from docs.generate import cli_page, tools_page; print(tools_page(), cli_page())"
    written = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=env
    ).stdout
    assert "\n## count_tags\n" in written
    assert "\n## glymph count-tags\n" in written


def test_a_command_that_glymph_has_is_refused_by_name(package, run):
    for taken in ("status", "add"):
        text = COUNT_TAGS.replace('command="count-tags"', f'command="{taken}"')
        (package / "counting.py").write_text(text)
        said = run("--help")
        assert said.returncode == 1
        assert said.stderr.startswith("glymph: The extension 'count_tags' of glymph.tools: ")
        assert f"'{taken}'" in said.stderr
    assert "remembered" in run("add", "A built-in command does not look at packages.").stdout


def test_a_tool_and_its_entry_point_have_one_name(package, monkeypatch):
    point = ExtensionPoint("glymph.tools", Tool, package="glymph.tools.builtin", attribute="TOOL")
    (package / "counting.py").write_text(COUNT_TAGS.replace('name="count_tags"', 'name="counts"'))
    monkeypatch.syspath_prepend(package)
    monkeypatch.setattr("glymph.tools.extension_point", lambda: point)
    with pytest.raises(BadExtension, match="'counts'; rename one"):
        all_tools()
    monkeypatch.undo()
    assert "counts" not in extension_point().members
