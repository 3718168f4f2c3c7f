"""The short examples run as they stand, without a network, and say what they promise."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from examples import agent_loop, quickstart

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


def test_the_package_holds_no_part_of_the_long_demo():
    packed = tomllib.loads((CLONE / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    assert packed["targets"]["wheel"]["packages"] == ["src/glymph"]
    assert not list((CLONE / "src").rglob("stories.toml"))
