"""`glymph sleep worker`: on any store, with signals, dead letters and several stores at once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from itertools import islice

import pytest
from typer.testing import CliRunner

from glymph import Glymph, environment
from glymph.cli import worker
from glymph.cli.main import app
from glymph.jobs import spool
from glymph.jobs.registry import all_jobs, scheduled_jobs
from glymph.testing import postgres
from glymph.upkeep import queue

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals")

DEAF = """
import sys, threading
from datetime import timedelta
from glymph.cli.main import main
from glymph.jobs import registry
from glymph.jobs.job import Job

def run(ctx, trigger):
    print("begun", flush=True)
    threading.Event().wait(300)

deaf = Job(name="deaf", every=timedelta(days=1), order=1, run=run)
registry.all_jobs = lambda: (deaf,)
main()
"""


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    """The URL of a store with one memory, on either engine."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/memory.db"
    else:
        url = request.getfixturevalue("empty_postgres_store")
    with Glymph.open(url) as glymph:
        glymph.add("The nightly import fails on Mondays.", kind="lesson")
    return url


def command(*args):
    return [sys.executable, "-m", "glymph.cli.start", "sleep", "worker", *args]


def ran(*args):
    done = subprocess.run(command(*args), capture_output=True, text=True, timeout=120, check=False)
    return done.stdout, done.stderr, done.returncode


def told(*args):
    """What a command says that starts no work."""
    result = CliRunner().invoke(app, ["sleep", "worker", *args])
    assert result.exit_code == 0, result.output
    return result.output


def outcomes(url, space="default"):
    with Glymph.open(url, space=space) as glymph, glymph.context.reading() as reader:
        return {row["job"]: json.loads(row["outcome"] or "null") for row in reader.schedules()}


def given_up(url, job="j1"):
    """A session that failed too often."""
    with Glymph.open(url) as glymph:
        place = glymph.context
        queue.enqueue(place, job, "session", {"event": "compact", "session_id": "s1"})
        report = {
            "extract": {"failed": "no transcript", "code": "Bug", "times": 5},
            "embed": {"n": 1},
        }
        with place.store.writing("default", None) as writer:
            writer.give_up(job, at=1_700_000_000_000_000, report=json.dumps(report))


def test_once_every_job_is_done_and_then_nothing_is_due(store):
    said, log, code = ran("--url", store, "--once", "--json", "--log-json")
    assert code == 0, log
    found = outcomes(store)
    assert set(found) == {one.schedule for one in scheduled_jobs(all_jobs())}
    assert not [name for name, report in found.items() if report is None or "failed" in report]
    [counts] = json.loads(said)["stores"]
    assert {name: counts[name] for name in ("waiting", "running", "resting", "dead")} == {
        "waiting": 0, "running": 0, "resting": 0, "dead": 0,
    }  # fmt: skip
    lines = [json.loads(line) for line in log.splitlines()]
    assert {"default/health", "default/trash"} <= {
        line["message"].split()[1].rstrip(":") for line in lines
    }
    assert lines[-1]["message"] == "nothing is due"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_status_zero(store, number):
    with subprocess.Popen(
        command("--url", store, "--log-json"), stderr=subprocess.PIPE, text=True
    ) as process:
        assert "working on" in json.loads(process.stderr.readline())["message"]
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert json.loads(said.splitlines()[-1])["message"] == "stopped"


def test_a_job_that_does_not_end_in_time_is_left_and_the_status_is_zero(store):
    with Glymph.open(store) as glymph, glymph.context.store.writing("default", None) as writer:
        writer.set_schedule("deaf", due_at=1, last_run_at=None, outcome=None)
    script = [sys.executable, "-c", DEAF, "sleep", "worker", "--url", store, "--drain", "0.3"]
    with subprocess.Popen(
        script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "left to other workers" in said
    assert outcomes(store)["deaf"] is None


def test_dead_letters_are_listed_and_put_back(store):
    given_up(store)
    said = told("--url", store, "--dead")
    assert "default/session/j1" in said
    assert "extract: no transcript" in said
    [letter] = json.loads(told("--url", store, "--dead", "--json"))["dead"]
    assert (letter["id"], letter["space"], letter["job"]) == (
        "default/session/j1",
        "default",
        "session",
    )
    assert (letter["attempts"], letter["url"]) == (5, store)
    said = told("--url", store, "--retry", "default/session/j1")
    assert said == "default/session/j1 is put back: a worker tries it again.\n"
    assert json.loads(told("--url", store, "--dead", "--json")) == {"dead": []}
    assert ran("--url", store, "--once")[2] == 0
    with Glymph.open(store) as glymph, glymph.context.reading() as reader:
        row = reader.job("j1")
    assert row["done_at"] is not None
    assert json.loads(row["report"])["embed"] == {"n": 1}


def test_all_of_them_can_be_put_back_and_an_unknown_one_is_an_error(url):
    given_up(url, "j1")
    given_up(url, "j2")
    _, said, code = ran("--url", url, "--retry", "default/session/j3")
    assert code == 1
    assert "glymph sleep worker --dead" in said
    _, said, code = ran("--url", url, "--retry", "default/sess")
    assert code == 1
    assert "may mean any of 2 dead letters" in said
    back = json.loads(told("--url", url, "--retry", "all", "--json"))["put_back"]
    assert {one["id"] for one in back} == {"default/session/j1", "default/session/j2"}
    given_up(url, "k3")
    [back] = json.loads(told("--url", url, "--retry", "default/session/k", "--json"))["put_back"]
    assert back["id"] == "default/session/k3"
    assert told("--url", url, "--dead") == "No dead letters: no job was given up.\n"


def test_several_stores_are_served_by_one_worker(tmp_path, empty_postgres_store):
    urls = [f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/two.db", empty_postgres_store]
    for url in urls:
        Glymph.open(url).close()
    options = [part for url in urls for part in ("--url", url)]
    said, log, code = ran(*options, "--once", "--json")
    assert code == 0, log
    assert [one["url"] for one in json.loads(said)["stores"]] == urls
    assert all(outcomes(url)["health"] is not None for url in urls)


def test_a_store_of_several_that_cannot_be_served_ends_the_worker_with_its_error(tmp_path):
    good, locked = f"sqlite:///{tmp_path}/one.db", f"sqlite:///{tmp_path}/two.db"
    for url in (good, locked):
        Glymph.open(url).close()
    _, said, code = ran("--url", good, "--url", f"{locked}?mode=ro")
    assert code == 1
    assert "read-only" in said


def test_what_hooks_left_on_this_machine_is_taken_in(store):
    folder = environment.home() / environment.SPOOL
    spool.drop(
        folder, {"event": "session-end", "url": store, "space": "default", "session_id": "s1"}
    )
    assert ran("--url", store, "--once")[2] == 0
    assert spool.count_items(folder) == 0
    with Glymph.open(store) as glymph, glymph.context.reading() as reader:
        assert reader.queue_state(0)["waiting"] == 0
        assert reader.counter("sessions_since_ai_prune") == 1


def test_a_path_with_a_space_in_the_environment_is_one_store(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/my memory.db"
    Glymph.open(url).close()
    monkeypatch.setenv("GLYMPH_URL", url)
    said, log, code = ran("--once", "--json")
    assert code == 0, log
    assert [one["url"] for one in json.loads(said)["stores"]] == [url.replace(" ", "%20")]


def test_a_password_is_not_told(empty_postgres_store):
    Glymph.open(empty_postgres_store).close()
    secret = empty_postgres_store.replace("postgres@", "postgres:hunter2@")
    said, log, code = ran("--url", secret, "--once", "--json")
    assert code == 0, log
    assert "hunter2" not in said + log
    masked = empty_postgres_store.replace("postgres@", "postgres:[secret]@")
    assert [one["url"] for one in json.loads(said)["stores"]] == [masked]


# a map with a part that is away


@pytest.fixture
def parts(tmp_path):
    """A map of two files: the space `default` lies in east, and west is not there."""
    found = {name: f"sqlite:///{tmp_path}/{name}.db" for name in ("east", "west")}
    Glymph.open(found["east"]).close()
    spaces = {"default": "east", "acme": "west"}
    (tmp_path / "map.json").write_text(json.dumps({"parts": found, "spaces": spaces}))
    return {"map": f"shards:///{tmp_path}/map.json", **found}


def test_a_part_that_is_away_is_left_out_once_and_the_status_is_one(parts):
    said, log, code = ran("--url", parts["map"], "--once", "--json", "--log-json")
    assert code == 1, log
    assert [one["url"] for one in json.loads(said)["stores"]] == [parts["east"]]
    assert outcomes(parts["east"])["health"] is not None
    [told] = [line for line in map(json.loads, log.splitlines()) if line["level"] == "warning"]
    assert told["message"].startswith(f"part {parts['west']} is not served: There is no store ")
    said, log, code = ran("--url", parts["map"], "--dead", "--json")
    assert (json.loads(said), code) == ({"dead": []}, 1)
    assert f"{parts['west']} is left out" in log


def test_a_part_that_comes_back_is_served(parts, tmp_path):
    with (
        Glymph.open(f"sqlite:///{tmp_path}/ready.db", space="acme") as glymph,
        glymph.context.store.writing("acme", None) as writer,
    ):
        writer.set_schedule("health", due_at=1, last_run_at=None, outcome=None)
    with subprocess.Popen(
        command("--url", parts["map"], "--log-json"), stderr=subprocess.PIPE, text=True
    ) as process:
        seen = (json.loads(line)["message"] for line in process.stderr)
        assert next(seen) == f"working on {parts['east']}"
        assert any(
            said.startswith(f"part {parts['west']} is not served; trying again in 2 s")
            for said in seen
        )
        (tmp_path / "ready.db").rename(tmp_path / "west.db")
        assert f"working on {parts['west']}, too" in seen
        assert "job acme/health: done" in seen
        process.send_signal(signal.SIGTERM)
        assert list(seen)[-1] == "stopped"
    assert process.returncode == 0


def test_a_part_without_a_space_is_given_none(parts):
    with Glymph.open(parts["west"], space="acme") as glymph:
        glymph.delete_space("acme")
    _, log, code = ran("--url", parts["map"], "--once")
    assert code == 0, log
    assert "has no space yet" in log
    with Glymph.open(parts["map"], create=False) as glymph:
        assert [space.name for space in glymph.spaces()] == ["default"]
        assert glymph.verify().ok  # no space lies where the map does not give it


def test_pauses_grow_up_to_a_bound():
    found = list(islice(worker.pauses(), 8))
    assert found == [2, 4, 8, 16, 32, 60, 60, 60]


# what the libraries of the queue complain about


def test_a_complaint_of_another_library_is_one_line_without_what_an_exception_says():
    script = """
import logging
from glymph.cli import worker
worker.log_neighbours(as_json=False)
for name in ("procrastinate.worker", "asyncio", "psycopg.pool"):
    try:
        raise ValueError("Ann skis.")
    except ValueError:
        logging.getLogger(name).exception("it ended\\nin two lines")
logging.getLogger("psycopg.pool").warning("less grave")
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    lines = done.stderr.splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == [
        f"ERROR {name}: it ended in two lines (ValueError)"
        for name in ("procrastinate.worker", "asyncio", "psycopg.pool")
    ]


@pytest.mark.nightly
def test_a_server_that_goes_away_leaves_no_traceback_in_the_log(tmp_path):
    if reason := postgres.absence():
        pytest.skip(reason)
    with postgres.Server(tmp_path / "server") as server:
        url = server.database()
        Glymph.open(url).close()
        with subprocess.Popen(command("--url", url), stderr=subprocess.PIPE, text=True) as process:
            lines = []
            seen = (lines.append(line) or line for line in process.stderr)
            assert any("job default/health: done" in line for line in seen)
            server.kill()
            assert any("the database is away, trying again" in line for line in seen)
            process.send_signal(signal.SIGTERM)
            list(seen)
        assert process.returncode == 0
        server.start()
    assert [
        line
        for line in lines
        if not re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} [A-Z]+ ", line)
    ] == []
