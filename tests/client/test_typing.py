"""What type checkers, editors and `help()` know of Glymph."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import glymph
from glymph import Glymph
from tests.programs import find_npm_program

ROOT = Path(__file__).parents[2]
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MISSPELT = "from glymph import Glmyph\n"
ASYNC = """
from glymph import Added, AsyncGlymph, Hit


async def use() -> list[Hit]:
    async with AsyncGlymph.open("sqlite:///a.db", space="me") as memory:
        added: Added = await memory.add("A text.", tags=["a"], salience=0.7)
        plan = await memory.forget("this")
        assert plan.request
        done = await memory.forget("this", apply=True)
        assert done.operation_id
        assert (await memory.trash.empty(all=True)).succeeded
        return await memory.search("text", limit=3)
"""
WRONG = """
from glymph import AsyncGlymph, Glymph


async def use(memory: AsyncGlymph) -> None:
    await memory.add("A text.", tag=["a"])
    await memory.search("A text.", limit="3")


def wait(memory: Glymph) -> None:
    memory.add("A text.", tag=["a"])
"""


def test_help_shows_the_fields_of_add_search_list_and_update(glymph):
    for method, names in (
        (Glymph.add, ("title", "kind", "tags", "event_at", "links", "pinned")),
        (Glymph.search, ("limit", "kinds", "since", "budget_tokens", "min_score", "at")),
        (Glymph.recall, ("reinforce", "limit", "tags")),
        (Glymph.list, ("cursor", "tags", "include_superseded")),
        (Glymph.update, ("text", "reason", "salience")),
    ):
        found = inspect.signature(method)
        assert set(names) <= set(found.parameters), method
        assert all(name in str(found) for name in names)
        assert "**" not in str(found)
        bound = inspect.signature(getattr(glymph, method.__name__))
        assert list(bound.parameters) == list(found.parameters)[1:]


def test_what_a_signature_shows_is_looked_up_only_when_asked_for():
    code = "import sys, glymph.client; print('glymph.recall.search' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_type_that_a_method_returns_is_exported():
    """A program must be able to name what it was given."""
    named = set()
    for owner in (Glymph, Glymph.trash, Glymph.tombstones, Glymph.clusters, Glymph.conversations):
        for method in filter(inspect.isfunction, vars(owner).values()):
            named |= set(re.findall(r"[A-Z]\w+", str(method.__annotations__.get("return", ""))))
    elsewhere = {"Context", "None", "Path", "Self"}
    assert named - elsewhere - set(glymph.__all__) == set()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The examples of the README and of some made-up programs, as files."""
    folder = tmp_path_factory.mktemp("typed")
    blocks = PYTHON.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    for name, code in (
        ("readme", "\n".join(blocks)), ("awaiting", ASYNC), ("misspelt", MISSPELT), ("wrong", WRONG),
    ):  # fmt: skip
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return folder


def _check(pages, *command):
    source = str(Path(glymph.__file__).parents[1])
    environment = {**os.environ, "MYPYPATH": source, "PYTHONPATH": source}
    done = subprocess.run(
        command, cwd=pages, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout, done.stderr
    return done.stdout


@pytest.mark.nightly
def test_mypy_knows_the_examples_and_names_what_is_wrong(pages):
    told = _check(
        pages, sys.executable, "-m", "mypy", "--strict", "readme.py", "awaiting.py", "misspelt.py",
        "wrong.py",
    )  # fmt: skip
    assert {line.split(":")[0] for line in told.splitlines() if ": error" in line} == {
        "misspelt.py", "wrong.py",
    }, told  # fmt: skip
    assert 'has no attribute "Glmyph"' in told
    assert told.count('"tag"') == 2
    assert "limit" in told


@pytest.mark.nightly
def test_pyright_knows_the_examples_and_names_what_is_wrong(pages):
    pyright = find_npm_program("pyright", "pyright@1.1.414", "pyright")
    told = _check(pages, pyright, "--pythonpath", sys.executable, ".")
    wrong = {line.split(":")[0].strip() for line in told.splitlines() if " error: " in line}
    assert {Path(name).name for name in wrong} == {"misspelt.py", "wrong.py"}, told
    assert told.count('"tag"') == 2
