"""`glymph store tombstones`: numbers and dates, a dry run before anything is lifted, and the way back."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from typer.testing import CliRunner

from glymph import Glymph, errors
from glymph.cli.main import app
from glymph.write import tombstones

FACT = "The PIN is 0042"


@pytest.fixture
def run(url):
    """Runs a command on the test's own store."""
    return lambda *args: CliRunner().invoke(app, [*args, "--url", url], env={"COLUMNS": "120"})


@pytest.fixture
def numbers(glymph):
    """The numbers of two tombstones."""
    with glymph._ctx.operation("forget") as op:
        tombstones.bury(op, glymph._ctx, [FACT, "another"])
    return [str(one.number) for one in glymph.tombstones()]


def test_list_shows_numbers_and_when_and_never_what(run, glymph, numbers):
    said = run("tombstones", "list")
    head, *rows = said.stdout.splitlines()
    assert head.split() == ["number", "since", "(UTC)", "operation"]
    (forgot, *_) = glymph.operations()
    assert [row.split()[0] for row in rows] == numbers
    assert all(row.endswith(forgot.id) for row in rows)
    assert "PIN" not in said.stdout
    found = json.loads(run("tombstones", "list", "--json").stdout)["tombstones"]
    assert [str(one["number"]) for one in found] == numbers
    assert set(found[0]) == {"number", "created_at", "operation"}


def test_an_empty_list_says_so(run, glymph):
    assert (
        run("tombstones", "list").stdout
        == "No tombstones: nothing was removed for good on request.\n"
    )
    assert json.loads(run("tombstones", "list", "--json").stdout) == {"tombstones": []}


@pytest.mark.parametrize("way", ["numbers", "text", "all"])
def test_lift_is_a_dry_run_unless_told_to_apply(run, glymph, numbers, way):
    given = {"numbers": numbers[:1], "text": ["--text", "the pin is 0042."], "all": ["--all"]}[way]
    wanted = numbers if way == "all" else numbers[:1]
    before = glymph.tombstones()
    said = run("tombstones", "lift", *given).stdout.splitlines()
    many = "2 tombstones" if way == "all" else "1 tombstone"
    assert said[0] == f"Would lift {many}. Nothing was changed: add --apply to do it."
    assert [row.split()[0] for row in said[2:]] == wanted
    dry = json.loads(run("tombstones", "lift", *given, "--json").stdout)
    assert dry["dry_run"] is True
    assert [str(one["number"]) for one in dry["tombstones"]] == wanted
    assert glymph.tombstones() == before
    done = run("tombstones", "lift", *given, "--apply")
    assert done.exit_code == 0
    assert done.stdout.startswith(f"lift: {len(wanted)} done, 0 skipped, 0 failed")
    assert [str(one.number) for one in glymph.tombstones()] == [
        n for n in numbers if n not in wanted
    ]
    assert run("undo").exit_code == 0
    assert glymph.tombstones() == before


def test_apply_gives_machines_the_receipt(run, numbers):
    done = json.loads(run("tombstones", "lift", *numbers, "--apply", "--json").stdout)
    assert (done["verb"], done["succeeded"]) == ("lift", numbers)


def test_a_number_that_is_not_there_ends_with_status_3(run, numbers):
    done = run("tombstones", "lift", "999", numbers[0], "--apply")
    assert done.exit_code == 3
    assert "failed: 999: no such tombstone in this space" in done.stdout


@pytest.mark.parametrize(
    "given", [[], ["1", "--all"], ["--text", "x", "--all"], ["1", "--text", "x"]]
)
def test_what_to_lift_is_said_in_one_way(run, numbers, given):
    assert isinstance(run("tombstones", "lift", *given).exception, errors.InvalidInput)


def test_without_the_key_a_text_cannot_be_lifted_but_all_can(run, glymph, numbers):
    shutil.rmtree(glymph._ctx.store.keyring.folder)
    assert isinstance(run("tombstones", "lift", "--text", FACT).exception, errors.KeyMissing)
    assert run("tombstones", "lift", "--all", "--apply").exit_code == 0
    assert glymph.tombstones() == ()


def test_looking_makes_no_store(run, tmp_path):
    assert isinstance(run("tombstones", "list").exception, errors.GlymphError)
    assert list(tmp_path.iterdir()) == []


def test_backup_and_restore_bring_the_keys_along(run, glymph, numbers, tmp_path):
    assert run("backup", str(tmp_path / "backup.db")).exit_code == 0
    restore = ["restore", str(tmp_path / "backup.db"), str(tmp_path / "again.db")]
    assert CliRunner().invoke(app, restore).exit_code == 0
    assert not (tmp_path / "again.db.keys").exists()
    assert CliRunner().invoke(app, [*restore, "--apply"]).exit_code == 0
    with Glymph.open(f"sqlite:///{tmp_path}/again.db") as again:
        assert len(again.tombstones(text="THE PIN IS 0042")) == 1
        assert again.tombstones(text="The PIN is 0043") == ()


def test_doctor_names_a_key_that_is_missing_and_how_it_comes_back(run, glymph, numbers):
    assert run("doctor").exit_code == 0
    folder = glymph._ctx.store.keyring.folder
    [key] = folder.iterdir()
    kept = key.rename(folder.with_name("kept"))
    said = run("doctor")
    assert said.exit_code == 1
    [wrong] = [line for line in said.stdout.splitlines() if line.startswith("WRONG")]
    assert wrong.startswith("WRONG    keys: space default: it has tombstones, but the key")
    assert str(key) in re.sub(r"\n\s*", "", said.stdout)
    [problem] = json.loads(run("doctor", "--json").stdout)["problems"]
    assert (
        "Put that file back from a backup's folder of keys; until then it takes in nothing new"
        in problem["detail"]
    )
    refused = run("add", "Tea is at four.").exception
    assert isinstance(refused, errors.KeyMissing)  # as doctor says
    kept.rename(key)
    assert run("doctor").exit_code == 0
    key.write_text("no key")
    [problem] = json.loads(run("doctor", "--json").stdout)["problems"]
    assert (problem["check"], "Put it back from a backup" in problem["detail"]) == ("keys", True)


def test_a_space_without_tombstones_needs_no_key(run, glymph):
    assert not glymph._ctx.store.keyring.folder.exists()
    assert run("doctor").exit_code == 0
