"""`glymph status`, `autonomous` and `daemon`: one screen for people, stable keys for machines."""

from __future__ import annotations

import json
import logging
import re
import signal
from datetime import UTC, datetime, timedelta

import pytest
from typer.testing import CliRunner

from glymph import Glymph
from glymph.cli.main import app
from glymph.upkeep import queue
from tests.grounds.reading import put_in_question


@pytest.fixture
def run(url, monkeypatch):
    """A command on a store with one memory and one job that waits.

    Gives back its output and status.
    """
    with Glymph.open(url) as glymph:
        glymph.add("The nightly import fails on Mondays.", kind="lesson")
        queue.enqueue(glymph.context, "job-1", "upkeep", {})
    monkeypatch.setenv("GLYMPH_URL", url)
    monkeypatch.setenv("COLUMNS", "110")
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    log = logging.getLogger("glymph")
    set_up = log.handlers[:], log.level, log.propagate

    def call(*args):
        result = CliRunner().invoke(app, [str(arg) for arg in args])
        return result.output, result.exit_code

    yield call
    log.handlers[:], log.level, log.propagate = set_up
    for number, handler in before.items():
        signal.signal(number, handler)


def test_the_status_of_a_space_fits_on_one_screen(run):
    run("daemon", "--once")
    said, code = run("status")
    assert code == 0
    assert "Upkeep: ok" in said
    assert "1: 1 active, 0 weak" in said
    assert "10 memories to archive, 1.00 USD and 2,000,000 tokens to spend" in said
    assert len(said.splitlines()) <= 30
    assert max(map(len, said.splitlines())) <= 110


def test_the_status_as_json_keeps_its_old_keys_and_has_the_new_ones(run):
    told = json.loads(run("status", "--json")[0])
    old = {
        "store",
        "spaces",
        "space",
        "live",
        "active",
        "weak",
        "dormant",
        "archived",
        "trashed",
        "meaning",
    }
    assert old <= told.keys()
    assert {
        "health",
        "recommendations",
        "jobs",
        "queue",
        "lock",
        "backlog",
        "caps",
        "counters",
    } <= told.keys()
    assert told["queue"]["waiting"] == 1
    assert told["lock"] == {"state": "free", "holder": None, "until": None}
    assert set(told["counters"]) == {
        "last_lifecycle_at", "last_ai_prune_at", "sessions_since_ai_prune", "active_count_at_last_ai_prune",
    }  # fmt: skip


def test_the_status_says_what_waits_for_a_person_and_what_sleep_did_last(tmp_path, monkeypatch):
    """Each with the command that shows it or takes it back."""
    url = f"sqlite:///{tmp_path / 'memory.db'}"
    monkeypatch.setenv("COLUMNS", "80")
    now = datetime.now(UTC) - timedelta(days=200)
    settings = {"embedder": "none", "reader": "none"}
    with Glymph.open(url, space="shop", settings=settings, clock=lambda: now) as glymph:
        said = CliRunner().invoke(app, ["status", "--url", url, "--space", "shop"]).output
        assert "Waits for you: nothing\n" in said
        assert "Sleep has changed nothing yet." in said
        for number in range(20):
            glymph.add(f"Signal {number} came at {number}.", kind="signal")
        now = datetime.now(UTC)
        gone = glymph.lifecycle().archived
        old, new = (glymph.add(text).id for text in ("Tea is at four.", "Tea is at five."))
        put_in_question(glymph, old, new)
    said = CliRunner().invoke(app, ["status", "--url", url, "--space", "shop"]).output
    assert "Waits for you: 1 question (`glymph questions --space shop`)\n" in said
    row = re.search(r"archived the faded +now +(\d+) *\n +take it back: (glymph undo .*)\n", said)
    assert int(row[1]) == len(gone) > 0
    words = row[2].removeprefix("glymph ").split()
    assert CliRunner().invoke(app, [*words, "--url", url]).exit_code == 0
    told = json.loads(
        CliRunner().invoke(app, ["status", "--url", url, "--space", "shop", "--json"]).output
    )
    assert [(one["verb"], one["undone"]) for one in told["slept"]] == [("lifecycle", True)]


def test_the_tool_shows_the_part_about_upkeep(run):
    said, code = run("autonomous")
    assert code == 0
    assert said.startswith("Upkeep: ok")
    assert "1 waiting" in said


def test_the_daemon_can_do_what_is_due_and_end(run):
    assert run("daemon", "--once")[1] == 0
    told = json.loads(run("status", "--json")[0])
    assert told["queue"]["waiting"] == 0
    assert {one["job"] for one in told["jobs"]} >= {"decay", "health", "trash"}
    assert run("daemon", "--once", "--space", "all")[1] == 0


def test_the_daemon_refuses_a_space_that_is_not_there(run):
    result = CliRunner().invoke(app, ["daemon", "--once", "--space", "wrok"])
    assert result.exit_code == 1
    assert "wrok" in str(result.exception)


# a map with a part that is away


@pytest.fixture
def one_away(tmp_path, monkeypatch):
    """The environment names a map with the space `default` in east.

    And a west that no server answers for.
    """
    parts = {
        "east": f"sqlite:///{tmp_path}/east.db",
        "west": "postgresql://ann@127.0.0.1:1/nowhere",
    }
    with Glymph.open(parts["east"]) as glymph:
        glymph.add("The nightly import fails on Mondays.")
    (tmp_path / "map.json").write_text(json.dumps({"parts": parts, "spaces": {"default": "east"}}))
    monkeypatch.setenv("GLYMPH_URL", f"shards:///{tmp_path}/map.json")
    return lambda *args: CliRunner().invoke(app, list(args))


def test_status_tells_of_a_space_although_another_part_of_the_map_is_away(one_away):
    said = one_away("status")
    assert said.exit_code == 0
    assert "1: 1 active" in said.stdout
    assert "away        part west: 127.0.0.1:1/nowhere cannot be reached" in said.stdout
    told = json.loads(one_away("status", "--json").stdout)
    assert (told["spaces"], list(told["away"])) == (["default"], ["west"])


def test_doctor_checks_the_other_parts_and_ends_with_status_1(one_away):
    said = one_away("doctor")
    assert said.exit_code == 1
    assert "WRONG    part: 'west' cannot be used" in said.stdout
    assert said.stdout.endswith(": 1 problem\n")
    told = json.loads(one_away("doctor", "--json").stdout)
    assert (told["ok"], list(told["away"]), list(told["meaning"])) == (False, ["west"], ["default"])


def test_what_needs_all_parts_says_which_one_is_away(one_away):
    said = one_away("space", "list")
    assert said.exit_code == 1
    assert "west: 127.0.0.1:1/nowhere cannot be reached" in str(said.exception)


def test_the_doctor_names_what_a_wrong_clock_dated_ahead_and_repairs_it(run, url):
    with Glymph.open(url, clock=lambda: datetime(2126, 1, 1, tzinfo=UTC)) as glymph:
        glymph.add("Told by a clock a century ahead.")
    said, code = run("doctor")
    assert code == 1
    assert "1 operations (2126-01-01" in said
    assert "glymph doctor --repair" in " ".join(said.split())
    said, code = run("doctor", "--repair")
    assert code == 0
    assert "repaired clock: space default" in said
    assert json.loads(run("doctor", "--json")[0])["clock"] == {}
