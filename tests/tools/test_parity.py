"""The same call through the library's tool, the command line and MCP gives the same data."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app
from glymph.mcp.server import answer_call
from glymph.testing import FrozenClock
from glymph.tools import all_tools
from glymph.tools.pages import run_tool
from tests.tools.test_tools import PLAUSIBLE, populate

# Of the call itself, and of no two calls alike.
OWN = frozenset({"elapsed_ms", "hash", "dry_run", "conversations"})
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
STORED_UNTIL = "2026-01-10"  # where the clock of the store stood
MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?(?:\+00:00)?)?")


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A store's files with something for each tool to do, and the names in it."""
    folder = tmp_path_factory.mktemp("filled")
    url = f"sqlite:///{folder}/memory.db"
    with Glymph.open(url, clock=FrozenClock(), embedder="none", reader="none") as glymph:
        names = populate(glymph)
    return folder, names


@pytest.fixture
def copies(filled, tmp_path, monkeypatch):
    """Three copies of it, one for each way, and the names in it."""
    folder, names = filled
    for way in ("library", "command", "mcp"):
        shutil.copytree(folder, tmp_path / way)
    for name, value in (("HOME", tmp_path), ("GLYMPH_EMBEDDER", "none"), ("GLYMPH_READER", "none")):
        monkeypatch.setenv(name, str(value))
    return {
        way: f"sqlite:///{tmp_path}/{way}/memory.db" for way in ("library", "command", "mcp")
    }, names


def by_library(url, tool, arguments):
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        return run_tool(tool, glymph, tool.arguments.model_validate(arguments))


def by_mcp(url, tool, arguments):
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        answer = answer_call(lambda _: glymph, all_tools(), tool.name, arguments, "data")
        assert not answer.is_error, answer.content[0].text
        assert json.loads(answer.content[0].text) == answer.structured_content
        return answer.structured_content


def by_command(url, tool, arguments):
    words, positional = [tool.command], []
    for name, value in arguments.items():
        extra = tool.arguments.model_fields[name].json_schema_extra
        values = value if isinstance(value, list) else [value]
        for one in values:
            said = json.dumps(one) if isinstance(one, dict) else str(one)
            if isinstance(extra, dict) and extra.get("positional"):
                positional.append(said)
            else:
                option = f"--{name.replace('_', '-')}"
                words += [option] if one is True else [option, said]
    apply = ["--apply"] if tool.preview is not None and tool.acts_on is None else []
    done = CliRunner().invoke(app, [*words, *apply, "--url", url, "--json", *positional])
    assert done.exit_code in (0, 3), (done.output, done.exception)
    return json.loads(done.stdout)


def normalise(value, known):
    """An answer in which what was made by the call is named alike, and figures are rounded."""
    if isinstance(value, dict):
        return {
            normalise(name, known): normalise(one, known)
            for name, one in value.items()
            if name not in OWN
        }
    if isinstance(value, list):
        return [normalise(one, known) for one in value]
    if isinstance(value, float):
        return round(value, 2)
    if not isinstance(value, str):
        return value
    said = ID.sub(lambda found: found[0] if found[0] in known else "a new id", value)
    said = MOMENT.sub(lambda found: found[0] if found[0] < STORED_UNTIL else "a moment", said)
    return re.sub(r"in [\d,]+ ms", "in no time", said)


@pytest.mark.parametrize("name", all_tools())
def test_one_call_gives_the_same_data_by_every_way(copies, name):
    urls, names = copies
    with Glymph.open(urls["library"], embedder="none", reader="none") as glymph:
        known = set(ID.findall(json.dumps(list(map(str, glymph._ctx.store.dump("default"))))))
    assert names.lesson in known
    tool, arguments = all_tools()[name], PLAUSIBLE[name](names)
    told = {
        "library": by_library(urls["library"], tool, arguments),
        "command": by_command(urls["command"], tool, arguments),
        "mcp": by_mcp(urls["mcp"], tool, arguments),
    }
    plain = {way: normalise(json.loads(json.dumps(one)), known) for way, one in told.items()}
    assert plain["library"] == plain["command"] == plain["mcp"]
