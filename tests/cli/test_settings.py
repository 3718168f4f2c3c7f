"""An error about a setting says where its value is from."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from glymph import environment
from glymph.cli.main import app
from glymph.errors import InvalidInput

WRONG = {
    'trash_days = "soon"': "trash_days",
    "trash_dayz = 3": "trash_dayz",
    'compare = "maybe"': "compare",
    'reader = "foo"': "reader",  # refused only when the store is opened
}


def tell(*args):
    """The message that a command ends with."""
    with pytest.raises(InvalidInput) as told:
        CliRunner().invoke(app, args, catch_exceptions=False)
    return str(told.value)


@pytest.fixture
def config(tmp_path, monkeypatch):
    path = tmp_path / "mine.toml"
    monkeypatch.setenv("GLYMPH_CONFIG", str(path))
    monkeypatch.delenv("GLYMPH_READER", raising=False)
    monkeypatch.setenv("GLYMPH_URL", f"sqlite:///{tmp_path / 'memory.db'}")
    return path


@pytest.mark.parametrize("line", WRONG)
def test_a_wrong_setting_names_its_file(config, line):
    config.write_text(f"{line}\n")
    told = tell("add", "Ada lives in Rome.")
    assert told.startswith((f"settings.{WRONG[line]}: ", f"{WRONG[line]}: "))
    assert told.endswith(f" It stands in {config}.")
    assert told.count("It stands in") == 1


@pytest.mark.parametrize(("name", "value"), [("TRASH_DAYS", "soon"), ("READER", "foo")])
def test_a_wrong_setting_names_its_variable(config, monkeypatch, name, value):
    config.write_text("trash_days = 9\n")
    monkeypatch.setenv(f"GLYMPH_{name}", value)
    told = tell("add", "Ada lives in Rome.")
    assert told.endswith(f" It is from the environment variable GLYMPH_{name}.")


def test_the_usual_file_is_written_as_people_write_it():
    environment.make_home()
    environment.config_path().write_text('trash_days = "soon"\n')
    assert tell("config", "show").endswith(" It stands in ~/.glymph/config.toml.")


def test_a_value_that_is_being_set_is_in_no_file_yet(config):
    assert "It stands in" not in tell("config", "set", "trash_days", "soon")
    config.write_text('prune_most = "many"\n')
    told = tell("config", "set", "trash_days", "9")
    assert told.startswith("settings.prune_most: ")
    assert told.endswith(f" It stands in {config}.")
