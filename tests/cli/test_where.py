"""A command that is shown names the store and the space that this one was told to use."""

from __future__ import annotations

import re
from functools import partial

import pytest

from glymph.cli.branches import load
from glymph.cli.where import WITHOUT, name_where
from glymph.tools import tree
from glymph.wire.methods import NOT_OVER_THE_WIRE
from tests.grounds.commands import run_main

HERE = ("add", "x", "--url", "sqlite:///a b.db", "--space=red")
BOTH = "--url 'sqlite:///a b.db' --space red"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("take it back with: glymph undo 01a1", f"take it back with: glymph undo 01a1 {BOTH}"),
        ("Answer it: glymph questions", f"Answer it: glymph questions {BOTH}"),
        ("it: glymph prune 3f --apply", f"it: glymph prune 3f --apply {BOTH}"),
        ("`glymph memory list` shows it.", f"`glymph memory list {BOTH}` shows it."),
        ("`glymph status`, `glymph doctor`",
         f"`glymph status {BOTH}`, `glymph doctor --url 'sqlite:///a b.db'`"),
        ("`glymph store space create red`",
         "`glymph store space create red --url 'sqlite:///a b.db'`"),
        ("do: glymph undo 01 --space blue", "do: glymph undo 01 --space blue --url 'sqlite:///a b.db'"),
        ("`glymph config set tools_may_purge on`", "`glymph config set tools_may_purge on`"),
        ("`glymph install cursor` or `glymph no-such-thing`",) * 2,
        ("glymph undo is a command", "glymph undo is a command"),
    ],
)  # fmt: skip
def test_a_shown_command_goes_where_this_one_went(said, shown):
    assert name_where(said, HERE) == shown


def test_what_the_environment_names_is_not_repeated():
    said = "take it back with: glymph undo 01a1"
    assert name_where(said, ("add", "x")) == said
    assert name_where(said, ("add", "--", "--space", "red")) == said


def test_a_password_is_not_shown():
    args = ("add", "x", "--url", "postgresql://ada:s3cret@host/glymph")
    shown = name_where("do: glymph undo 01a1", args)
    assert "--url postgresql://" in shown
    assert "s3cret" not in shown


def test_the_way_back_that_a_receipt_shows_can_be_typed_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "200")
    url = f"sqlite:///{tmp_path}/other.db"

    run = partial(run_main, monkeypatch, capsys)
    lost = run("search", "lamp", "--url", url)
    assert lost.err.rstrip().endswith(f"create it with `glymph store init --url {url}`.")
    run("add", "The lamp in the hall is green.", "--url", url)
    undone = run("undo", "--url", url).out
    back = undone.rsplit("take it back with: glymph ", 1)[1].split()
    assert back[-2:] == ["--url", url]
    assert "1 done" in run(*back).out


def test_a_servers_address_is_told_to_be_none_of_the_command_lines(monkeypatch, capsys):
    for command in ("status", "search", "mcp"):
        words = [command, "lamp"] if command == "search" else [command]
        said = run_main(monkeypatch, capsys, *words, "--url", "http://127.0.0.1:9").err
        assert said.startswith("glymph: The command line does not work over HTTP. Run the command ")


def test_what_works_on_the_server_alone_names_commands_as_they_are_called_now():
    hints = " ".join(NOT_OVER_THE_WIRE.values())
    named = re.findall(r"`glymph (\S+)[^`]*`", hints)
    assert "store" in named
    assert set(named) <= set(tree.TOP)


def leaves(command, name):
    inside = getattr(command, "commands", None)
    if not inside:
        yield name, {option for one in command.params for option in one.opts}
    for word, one in (inside or {}).items():
        yield from leaves(one, f"{name} {word}")


@pytest.mark.parametrize("option", WITHOUT)
def test_every_command_but_those_listed_has_the_option(option):
    told = [
        leaf
        for source, place in tree.PLACES.items()
        for leaf in leaves(load(source), " ".join(place))
    ]
    lacking = {name for name, options in told if option not in options}
    listed = {name for name, _ in told if name.startswith(WITHOUT[option])}
    assert lacking <= listed
    assert all(name.startswith("install ") for name in listed - lacking)  # its hosts take them
