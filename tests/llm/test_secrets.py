"""What a provider says in anger may hold a key.

No key gets into reports and logs, and nobody else reads those.
"""

from __future__ import annotations

import json
import logging
import sys

import pytest

from glymph.errors import ModelFailed
from glymph.hooks import background
from glymph.jobs.job import SESSION_END, Job
from glymph.jobs.runner import run_item
from glymph.upkeep import queue
from glymph.upkeep.leases import hold_lease

KEY = "sk-ant-api03-" + "Ab1" * 12


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home for the worker's log; logging and the hook for exceptions are put back."""
    logger = logging.getLogger("glymph")
    before, level = list(logger.handlers), logger.level
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "home"))
    yield tmp_path / "home"
    for handler in [one for one in logger.handlers if one not in before]:
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(level)


def mode(path):
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize(
    "wrong",
    [ModelFailed("own", f"401 for {KEY}", "Wait."), RuntimeError(f"401 for {KEY}"), None],
    ids=["failure", "bug", "report"],
)
def test_a_key_gets_neither_into_a_report_nor_into_a_log(glymph, home, caplog, wrong):
    def run(ctx, trigger):
        if wrong is not None:
            raise wrong
        return {"problem": f"401 for {KEY}", "all": [{"why": KEY}], "count": 3}

    background._log_to_file()
    with hold_lease(glymph.context) as ctx:
        queue.enqueue(ctx, "j", "session", {})
        one = Job(name="one", on=SESSION_END, order=1, run=run)
        run_item(ctx, queue.find_waiting(ctx)[0], [one])
        with ctx.reading() as reader:
            report = reader.job("j")["report"]
    assert KEY not in report + caplog.text + (home / "worker.log").read_text()
    assert "401 for [secret]" in report
    assert wrong is not None or json.loads(report)["one"]["count"] == 3


def test_a_key_in_what_ends_the_worker_does_not_stand_in_its_log(home):
    background._log_to_file()
    try:
        raise RuntimeError(f"refused {KEY}")
    except RuntimeError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert "refused [secret]" in (home / "worker.log").read_text()


def test_the_log_and_what_it_leaves_when_full_are_for_their_owner_alone(home, monkeypatch):
    monkeypatch.setattr(background, "MOST_LOG_BYTES", 200)
    background._log_to_file()
    for _ in range(10):
        logging.getLogger("glymph.jobs").warning("x" * 50)
    assert [mode(home / name) for name in ("worker.log", "worker.log.1")] == [0o600, 0o600]
    assert mode(home) == 0o700


def test_logs_that_others_could_read_are_closed(home):
    home.mkdir()
    for name in ("worker.log", "worker.log.1"):
        (home / name).write_text("old\n")
        (home / name).chmod(0o644)
    background._log_to_file()
    assert [mode(home / name) for name in ("worker.log", "worker.log.1")] == [0o600, 0o600]
    assert (home / "worker.log").read_text() == "old\n"


def test_a_job_that_fails_while_the_worker_is_to_stop_is_not_held_against_it(glymph):
    def run(ctx, trigger):
        trigger.stop.set()
        raise ModelFailed("m", "called off", "Repeat it.")

    with hold_lease(glymph.context) as ctx:
        queue.enqueue(ctx, "j", "session", {})
        job = queue.find_waiting(ctx)[0]
        one = Job(name="one", on=SESSION_END, order=1, run=run)
        assert run_item(ctx, job, [one]) == "stopped"
        assert queue.find_waiting(ctx)[0].report == {}
