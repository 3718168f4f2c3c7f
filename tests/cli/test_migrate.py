"""`glymph store migrate`: what it would do and what it did.

And what it says when it goes on or cannot begin.
"""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from glymph import Glymph, errors
from glymph.cli.main import app
from glymph.config import Settings
from glymph.store import open_store
from glymph.transfer.migrate import migrate


@pytest.fixture
def target(tmp_path):
    return f"sqlite:///{tmp_path}/target.db"


@pytest.fixture
def command(url, target):
    """Runs the command from the test's own store to the new one."""
    return lambda *args: CliRunner().invoke(
        app, ["migrate", url, target, *args], env={"COLUMNS": "400"}
    )


@pytest.fixture
def lived(glymph, url, clock):
    """A store with two spaces."""
    glymph.add_many(
        ["the harbour closes at nine", "a kiln needs two days to cool", "the orchard lies uphill"]
    )
    with Glymph.open(url, space="work", clock=clock) as work:
        work.add("the quarterly figures are due in May")
    return glymph


def table(said):
    """The lines of a table by the space they are about."""
    return {line.split()[0]: line for line in said.stdout.splitlines() if line.strip()}


def test_a_dry_run_says_what_would_move_and_makes_nothing(command, lived, tmp_path):
    said = command("--dry-run")
    assert said.exit_code == 0
    assert table(said)["default"].endswith("move")
    assert table(said)["work"].endswith("move")
    assert "would be made. 2 spaces; run it without --dry-run to do it." in said.stdout
    assert not (tmp_path / "target.db").exists()


def test_a_move_shows_rows_checksum_and_searches_for_each_space(command, lived, target, clock):
    said = command()
    assert said.exit_code == 0
    head = said.stdout.splitlines()[0].split()
    assert head == ["space", "rows", "checksum", "searches", "seconds", "outcome"]
    assert "agree" in table(said)["default"]
    assert table(said)["work"].endswith("moved")
    assert said.stdout.splitlines()[-1].endswith("has 2 spaces of the source, checked.")
    with Glymph.open(target, clock=clock) as copy:
        assert {m.text for m in copy.list()} == {m.text for m in lived.list()}
    assert table(command())["default"].endswith("already there")


def test_conversations_in_files_are_named_before_and_after_a_move(command, lived, url, clock):
    assert json.loads(command("--dry-run", "--json").stdout)["left_behind"] == []
    assert "stay behind" not in command("--dry-run").stdout
    with Glymph.open(url, space="work", clock=clock) as work:
        work.conversations().append("standup", {"role": "user", "content": "The figures are late."})
        (folder,) = map(str, work.conversations.folders())
    assert json.loads(command("--dry-run", "--json").stdout)["left_behind"] == [folder]
    assert (
        json.loads(command("--dry-run", "--json", "--space", "default").stdout)["left_behind"] == []
    )
    assert f"stay behind. Copy their folders, too: {folder}" in command().stdout
    assert json.loads(command("--json").stdout)["left_behind"] == [folder]


def test_only_the_named_spaces_move(command, lived, target):
    assert "work" not in table(command("--space", "default"))
    with pytest.raises(errors.SpaceNotFound):
        raise command("--space", "nobody").exception


def test_a_space_that_does_not_exist_leaves_no_empty_store_behind(command, lived, tmp_path):
    assert command("--space", "nobody").exit_code == 1
    assert not (tmp_path / "target.db").exists()


def test_a_move_that_was_cut_short_says_where_it_goes_on(command, lived, url, target):
    source, there = open_store(url, Settings()), open_store(target, Settings())
    steps = migrate(source, there, chunk=4)
    assert next(step for step in steps if step.rows == 8).space == "default"
    steps.close()
    source.close()
    there.close()
    assert table(command("--dry-run"))["default"].endswith("move, goes on at row 8")
    said = command()
    assert said.exit_code == 0
    assert "default goes on at row 8 of " in said.stderr
    assert table(said)["default"].endswith("moved, from row 8 on")
    assert table(said)["work"].endswith("moved")


def test_what_is_in_the_way_is_named_before_anything_moves(command, lived, target, clock):
    with Glymph.open(target, space="work", clock=clock) as other:
        other.add("somebody else's figures")
    said = command("--dry-run")
    assert said.exit_code == 1
    assert "another space of this name" in said.stdout
    assert "Nothing is moved while something is in the way." in said.stdout
    with pytest.raises(errors.InvalidInput, match=r"nothing was moved\. work: "):
        raise command().exception
    assert [space["name"] for space in open_store(target, Settings()).spaces()] == ["work"]


def test_machines_get_one_document(command, lived):
    planned = json.loads(command("--dry-run", "--json").stdout)
    assert planned["target_is_new"]
    assert {one["space"]: one["plan"] for one in planned["spaces"]} == {
        "default": "move",
        "work": "move",
    }
    moved = json.loads(command("--json").stdout)
    assert moved["changed"] == []
    assert [one["rows"] for one in moved["spaces"]] == [one["rows"] for one in planned["spaces"]]
    assert all(len(one["checksum"]) == 64 for one in moved["spaces"])
    assert sum(moved["spaces"][0]["counts"].values()) == moved["spaces"][0]["rows"]


def test_a_store_is_not_moved_onto_itself(lived, url):
    said = CliRunner().invoke(app, ["migrate", url, url])
    assert isinstance(said.exception, errors.InvalidInput)
    assert "is the source" in str(said.exception)
