"""The short examples run as they stand, without a network, and say what they promise."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

import glymph
from examples import agent_loop, quickstart
from glymph import Glymph
from glymph.cli import demo
from glymph.cli.main import app

CLONE = Path(__file__).parents[2]


def test_the_quickstart_prunes_and_takes_it_back(capsys):
    quickstart.main()
    out = capsys.readouterr().out
    assert "Anna prefers green tea to coffee." in out
    assert "Pruned 2; left: ['Anna prefers green tea to coffee.']" in out
    assert "Undone: 2 are back. Sound: True" in out


def test_the_agent_answers_from_memory_and_only_what_it_used_is_reinforced(capsys):
    agent_loop.main()
    out = capsys.readouterr().out
    assert "As far as I remember: We deploy on Tuesdays and Thursdays, never on Fridays." in out
    assert "> What is the capital of Mongolia?\n  I do not know." in out
    assert "1×  Noor owns the billing service" in out
    assert "0×  The staging database is reset every night" in out
    assert "Learned 1 from the session" in out


@pytest.mark.parametrize("name", ["quickstart", "agent_loop"])
def test_an_example_runs_as_a_file(name):
    run = subprocess.run(
        [sys.executable, CLONE / "examples" / f"{name}.py"],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (run.returncode, run.stderr) == (0, "")


# the built-in demo


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The package as it lies in site-packages: no examples beside it."""
    monkeypatch.setattr(glymph, "__file__", str(tmp_path / "site-packages/glymph/__init__.py"))
    monkeypatch.setenv("GLYMPH_CONFIG", str(tmp_path / "none.toml"))


def test_a_clone_plays_the_long_demo():
    found = demo.find_long_demo()
    assert found is not None
    assert Path(str(found.__file__)) == CLONE / "examples/demo/run.py"


def test_an_installed_package_plays_the_short_one(installed):
    assert demo.find_long_demo() is None
    run = CliRunner().invoke(app, ["demo"])
    assert run.exit_code == 0, run.output
    assert "`prune` archives 4, `undo` brings 4 back." in run.output
    assert "after   nothing is found" in run.output
    assert len(run.output.splitlines()) < 60


def test_the_short_demo_is_kept_where_it_is_asked_for_and_never_mixed_in(installed, tmp_path):
    url = f"sqlite:///{tmp_path}/kept.db"
    assert CliRunner().invoke(app, ["demo", "--url", url, "--json"]).exit_code == 0
    with Glymph.open(url, space="demo", create=False) as memory:
        assert len(list(memory.list())) == 7
    again = CliRunner().invoke(app, ["demo", "--url", url])
    assert again.exit_code != 0


def test_the_package_holds_no_part_of_the_long_demo():
    packed = tomllib.loads((CLONE / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert packed["targets"]["wheel"]["packages"] == ["src/glymph"]
    assert not list((CLONE / "src").rglob("stories.toml"))
