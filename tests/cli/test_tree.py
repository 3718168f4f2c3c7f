"""The command line as a stranger meets it: few commands, in sections, that fit the screen."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from docs.generate import command_names
from glymph import Glymph
from glymph.cli.branches import load, load_file
from glymph.cli.main import app
from glymph.tools import all_tools, tree
from tests.cli.test_cli import bare as nothing_of_ours

# Every name that stood at the top before there were groups.
BEFORE = """add search recall report get update link delete undo analyze questions batch-prune
execute-prune forget autonomous costs memetics health operations candidates clusters conflicts
match-playbooks supersede write merge pin restore-hash restore-memory search-history consolidate
status list audit doctor demo mcp serve tools history init export import backup restore space token
config migrate embed fit dedup prune plan trash certificates compact tombstones install uninstall
extract lifecycle ai-prune fading reinforce surface garden daemon worker""".split()
PROMISED = "add search forget undo demo mcp serve doctor status analyze prune".split()
STARTED = [sys.executable, "-m", "glymph.cli.start"]


def bare(**more):
    """An environment in which programs import what this one does."""
    return nothing_of_ours(PYTHONPATH=os.pathsep.join(sys.path), **more)


def run(*args, columns=80):
    size = {"COLUMNS": str(columns), "TERMINAL_WIDTH": str(columns)}
    return CliRunner().invoke(app, [*args], prog_name="glymph", env=size)


def test_the_help_is_calm_and_fits_one_screen():
    lines = run("--help").stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    assert len(tree.TOP) <= 19
    assert set(PROMISED) <= set(tree.TOP)


def test_the_help_has_sections_by_what_people_do():
    said = run("--help").stdout
    sections = re.findall(r"^  ([A-Z][a-z ]+?)  +[a-z]+  ", said, re.MULTILINE)
    assert sections == ["Remember", "Find", "Forget", "Review", "Sleep", "Serve", "Look after"]
    for name, summary in tree.TOP.items():
        assert re.search(rf"  {name} +{re.escape(summary)}\n", said)
    assert "0 done, 1 refused or failed, 2 wrong usage, 3 some ids were" in said


def test_every_tool_and_every_file_has_one_place():
    tools = {tool.command for tool in all_tools().values()}
    assert set(tree.PLACES) == (tools | set(tree.FILES)) - {"install"}
    assert len(set(tree.PLACES.values())) == len(tree.PLACES)
    assert set(tree.GROUPS) <= set(tree.TOP)


@pytest.mark.parametrize("old", BEFORE)
def test_every_name_from_before_answers_and_says_its_new_one(old):
    said = run(old, "--help")
    assert (said.exit_code, said.stdout[:6]) == (0, "Usage:")
    place = tree.PLACES.get(old, (old,))
    hint = "" if old in tree.TOP else f"`glymph {old}` is `glymph {' '.join(place)}` now\n"
    assert said.stderr == hint
    assert run(*place, "--help").exit_code == 0


def test_programs_get_no_hint():
    said = run("space", "list", "--url", "sqlite:///nowhere/at/all.db", "--json")
    assert (said.exit_code, said.stderr) == (1, "")


def test_the_help_of_every_command_fits_80_columns():
    for name in command_names():
        said = run(*name.split(), "--help")
        assert said.exit_code == 0, name
        assert max(map(len, said.stdout.splitlines())) <= 80, name


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("serach", "`glymph search`"),
        ("candidate", "`glymph prune candidates`"),
        ("prune candidats", "`glymph prune candidates`"),
        ("store bakcup", "`glymph store backup`"),
        ("store candidates", "`glymph prune candidates`"),
        ("playbooks", "`glymph memory playbooks`"),
        ("search x --limt 3", "--limit"),
    ],
)
def test_a_mistyped_word_is_answered_with_the_one_that_was_meant(typed, meant):
    said = run(*typed.split())
    assert (said.exit_code, said.stdout) == (2, "")
    assert meant in said.stderr


def test_a_group_lists_what_each_file_says():
    """The help lists commands without loading their files."""
    for name, summary in tree.FILES.items():
        assert load_file(name).get_short_help_str(200) == summary, name
        if name in tree.LOOKING:
            assert "--apply" not in {opt for one in load(name).params for opt in one.opts}


@pytest.mark.parametrize(
    ("words", "incomplete", "found"),
    [("", "se", "search"), ("prune ", "ca", "candidates"), ("store space ", "ren", "rename"),
     ("status ", "--js", "--json"), ("search x ", "--lim", "--limit")],
)  # fmt: skip
def test_the_shell_completes_commands_and_options(words, incomplete, found):
    typed = f"glymph {words}{incomplete}"
    env = bare(_GLYMPH_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=str(typed.count(" ")))
    program = "from glymph.cli.main import app; app(prog_name='glymph')"
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=env, check=False
    )
    assert found in said.stdout.split()


def test_the_beginning_of_an_id_is_enough_for_commands_that_are_no_tools(tmp_path):
    url = f"sqlite:///{tmp_path}/memory.db"
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        memory = glymph.add("The nightly import fails on Mondays.").id
        plan = glymph.analyze(min_staleness=0, include_isolated=True).id
    for words in (
        ("memory", "history", memory[:18]), ("prune", "plan", "show", plan[:9]), ("prune", plan[:9])
    ):  # fmt: skip
        said = run(*words, "--url", url, "--json")
        assert said.exit_code in (0, 3), said.stdout


def test_what_people_read_fits_80_columns_and_no_command_is_broken_in_two(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    url = f"sqlite:///{tmp_path}/memory.db"
    with Glymph.open(url, embedder="none", reader="none") as glymph:
        glymph.add("Anna says that the nightly import fails on Mondays, after the restart. " * 2)
    for words in (
        "status", "search import", "forget Anna", "analyze --min-staleness 0 --include-isolated",
        "memory list", "status counts", "status upkeep", "store operations", "doctor",
    ):  # fmt: skip
        lines = run(*words.split(), "--url", url).stdout.splitlines()
        assert lines, words
        assert max(len(one) for one in lines if url not in one) <= 80, words
        if words.startswith("forget"):
            assert any(re.fullmatch(r" *glymph forget --plan \w+ --apply", one) for one in lines)
            assert max(map(len, lines)) <= 80


# A program that works as a command does: on a store, with a thread that will not end by itself.
WAITING = """
import sys, threading, time
from glymph.cli import main
from glymph.tools.builtin import {module} as tool

def wait(glymph, args):
    thread = threading.Thread(target=time.sleep, args=(300,), daemon=True)
    thread.start()
    glymph._background._thread = thread
    print("working", flush=True)
    time.sleep(300)

object.__setattr__(tool.TOOL, "run", wait)
sys.argv = ["glymph", *{args}]
main.main()
"""


@pytest.mark.parametrize(
    ("module", "args", "told"),
    [
        ("memory_search", ["search", "x"], "nothing was changed"),
        ("memory_add", ["add", "x"], "what was finished is kept and nothing is half done"),
    ],
)
def test_ctrl_c_ends_a_command_at_once_and_says_what_was_done(tmp_path, module, args, told):
    url = f"sqlite:///{tmp_path}/memory.db"
    env = bare(GLYMPH_URL=url, GLYMPH_EMBEDDER="none", GLYMPH_READER="none", HOME=str(tmp_path))
    subprocess.run([*STARTED, "store", "init"], env=env, check=True, capture_output=True)
    program = WAITING.format(module=module, args=args)
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=env,
    ) as running:  # fmt: skip
        assert running.stdout.readline() == "working\n"
        running.send_signal(signal.SIGINT)
        try:
            running.wait(timeout=60)  # it would take 300 s to end by itself
        finally:
            running.kill()
        said = running.stderr.read()
    assert running.returncode == 130
    assert said.startswith("glymph: stopped: ")
    assert told in said
    assert said.count("\n") == 1
