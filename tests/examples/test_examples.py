"""The short examples run as they stand, without a network, and say what they promise."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from examples import (
    agent_loop,
    coding_agent,
    langgraph_agent,
    personal_assistant,
    quickstart,
    tenants,
)

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


def test_the_assistant_learns_and_forgets_for_good(capsys):
    personal_assistant.main()
    out = capsys.readouterr().out
    assert "Learned 3 things on Monday" in out
    assert "My sister Noor lives in Leuven." in out
    assert "Forgotten: 1; messages that still have the address: 0" in out
    assert "Sound: True" in out


def test_the_coding_agents_next_session_knows(capsys):
    coding_agent.main()
    begins, prompted = (
        capsys.readouterr()
        .out.split("The next session begins with:")[1]
        .split("A prompt brings what bears on it:")
    )
    assert "Always run the linter" in begins
    assert "PostgreSQL for the billing service" in prompted
    assert "linter" not in prompted


def test_the_graph_of_langgraph_answers_and_takes_back(capsys):
    langgraph_agent.main()
    out = capsys.readouterr().out
    assert "> What does Ada like?\n  Ada likes plums." in out
    assert "After undo: Ada likes figs." in out


def test_a_tenants_token_opens_its_own_space_only(capsys):
    tenants.main()
    out = capsys.readouterr().out
    assert "bakery: ['The oven is cleaned on Mondays.']" in out
    assert "dentist: ['Room 2 is closed in June.']" in out
    assert "The bakery asks for the dentist's: " in out


def test_the_list_names_every_program_and_none_is_long():
    listed = (CLONE / "examples/README.md").read_text(encoding="utf-8")
    for path in (CLONE / "examples").glob("[!_]*.py"):
        assert f"[{path.name}]({path.name})" in listed
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 80


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
