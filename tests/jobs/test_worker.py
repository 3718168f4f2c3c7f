"""The worker in one process.

From the spool into queues, through the runner, whatever is in the way.
"""

from __future__ import annotations

import json
import logging
import sys
import threading

import pytest

from glymph import Glymph
from glymph.errors import NotAStore
from glymph.hooks import background
from glymph.jobs import runner, spool, worker
from glymph.jobs.project import SHARED, project_space
from glymph.prune.ai_prune import SESSIONS
from glymph.upkeep import leases, queue


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home" / "spool"


@pytest.fixture
def opened(clock):
    return lambda url, space, create: Glymph.open(url, space=space, clock=clock, create=create)


@pytest.fixture
def transcript(tmp_path):
    path = tmp_path / "t.jsonl"
    message = {"role": "user", "content": "We decided to use PostgreSQL for the billing service."}
    path.write_text(json.dumps({"type": "user", "message": message}) + "\n")
    return path


def drop(folder, url, space="mine", event="session-end", **more):
    return spool.drop(
        folder, {"event": event, "url": url, "space": space, "session_id": "s1"} | more
    )


def jobs(url, space):
    with Glymph.open(url, space=space, create=False) as glymph, glymph.context.reading() as reader:
        return reader.queue_state(0)["waiting"], reader.counter(SESSIONS) or 0


def test_an_ended_session_is_worked_up_and_leaves_the_spool(folder, url, opened, clock, transcript):
    drop(folder, url, transcript_path=str(transcript))
    done = worker.work(folder, opened)
    assert (done.ended, done.problems) == ({"done": 1}, [])
    assert list(folder.iterdir()) == []
    with Glymph.open(url, space="mine", clock=clock, create=False) as glymph:
        assert "We decided to use PostgreSQL for the billing service." in [
            m.text for m in glymph.list().items
        ]
        assert "PostgreSQL" in glymph.surface()
    assert jobs(url, "mine") == (0, 1)


def test_before_a_compaction_what_was_said_so_far_is_kept_and_no_session_is_counted(
    folder, url, opened, transcript
):
    Glymph.open(url, space=SHARED).close()
    drop(folder, url, event="pre-compact", transcript_path=str(transcript))
    assert worker.work(folder, opened).ended == {"done": 1}
    assert jobs(url, "mine") == (0, 0)
    drop(folder, url, transcript_path=str(transcript))
    assert worker.work(folder, opened).ended == {"done": 2}
    with Glymph.open(url, space="mine", create=False) as glymph:
        assert [m.access_count for m in glymph.list().items if m.source == "extraction"] == [0]


def test_the_shared_space_gets_upkeep_if_there_is_one(folder, url, opened):
    Glymph.open(url, space=SHARED).close()
    drop(folder, url)
    assert worker.work(folder, opened).ended == {"done": 2}
    assert jobs(url, SHARED) == (0, 1)


def test_no_shared_space_is_made_by_upkeep(folder, url, opened):
    drop(folder, url)
    worker.work(folder, opened)
    with Glymph.open(url, space="mine", create=False) as glymph:
        assert SHARED not in [space.name for space in glymph.spaces()]


def test_an_item_may_name_its_project(folder, url, opened):
    drop(folder, url, space=None, project="/srv/api")
    worker.work(folder, opened)
    assert jobs(url, project_space("/srv/api")) == (0, 1)


def test_the_same_item_twice_is_one_job(folder, url, opened):
    drop(folder, url)
    [(path, _)] = spool.items(folder)
    body = path.read_bytes()
    worker.work(folder, opened)
    path.write_bytes(body)
    assert worker.work(folder, opened).ended == {}
    assert jobs(url, "mine") == (0, 1)


def test_a_store_that_cannot_be_opened_keeps_its_items_and_the_others_go_on(
    folder, url, opened, tmp_path
):
    (tmp_path / "bad.db").write_text("this is no store at all, but a text that is long enough" * 50)
    drop(folder, f"sqlite:///{tmp_path}/bad.db")
    drop(folder, url)
    done = worker.work(folder, opened)
    assert done.ended == {"done": 1}
    assert len(done.problems) == 1
    assert spool.count_items(folder) == 1
    with pytest.raises(NotAStore):
        opened(f"sqlite:///{tmp_path}/bad.db", "mine", True)


def test_an_item_that_no_store_will_ever_take_is_put_aside(folder, url, opened):
    drop(folder, url, space="bad\nname")
    assert worker.work(folder, opened).problems
    assert [path.suffix for path in folder.iterdir()] == [".broken"]


def test_a_space_that_is_only_looked_at_is_not_made(folder, url, opened, tmp_path):
    done = worker.work(folder, opened, also=[(url, "mine")])
    assert done.problems
    assert not (tmp_path / "memory.db").exists()


def test_jobs_that_an_earlier_worker_left_are_finished(folder, url, opened):
    with Glymph.open(url, space="mine") as glymph:
        queue.enqueue(glymph.context, "left", "session", {"event": "session-end"})
    assert worker.work(folder, opened, also=[(url, "mine")]).ended == {"done": 1}


def test_while_another_holds_the_lease_the_worker_waits(folder, url, opened, clock):
    with Glymph.open(url, space="mine", clock=clock) as glymph:
        leases._take(glymph.context)
    drop(folder, url)
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        clock.advance(seconds=seconds)

    assert worker.work(folder, opened, sleep=sleep).ended == {"done": 1}
    assert sum(slept) == pytest.approx(leases.LASTS, abs=1)


def test_who_loses_the_lease_waits_until_the_job_is_done(folder, url, opened, clock, monkeypatch):
    drop(folder, url)
    real, runs = runner.run_item, []

    def run(ctx, item, *more):
        runs.append(item.id)
        if len(runs) == 1:  # it sleeps too long, and another takes over and dies
            clock.advance(seconds=leases.LASTS)
            with opened(url, "mine", False) as other:
                leases._take(other.context)
        return real(ctx, item, *more)

    monkeypatch.setattr(runner, "run_item", run)
    done = worker.work(folder, opened, sleep=lambda seconds: clock.advance(seconds=seconds))
    assert done.ended == {"lost": 1, "done": 1}
    assert jobs(url, "mine") == (0, 1)


def test_who_is_asked_to_stop_leaves_the_rest_in_the_queue(folder, url, opened):
    drop(folder, url)
    stop = threading.Event()
    stop.set()
    assert worker.work(folder, opened, stop=stop).ended == {}
    assert spool.count_items(folder) == 0
    assert worker.work(folder, opened, also=[(url, "mine")]).ended == {"done": 1}


@pytest.fixture
def _own_logging(monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    logger = logging.getLogger("glymph")
    before, level = list(logger.handlers), logger.level
    yield
    for handler in [one for one in logger.handlers if one not in before]:
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(level)


@pytest.mark.usefixtures("_own_logging")
def test_a_bug_that_ends_the_worker_stands_in_its_log(tmp_path, monkeypatch):
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path))
    background._log_to_file()
    try:
        raise RuntimeError("a bug in the worker")
    except RuntimeError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    assert "a bug in the worker" in (tmp_path / "worker.log").read_text()


@pytest.mark.usefixtures("_own_logging")
def test_a_worker_without_a_place_for_its_log_works_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("GLYMPH_HOME", str(tmp_path / "file" / "home"))
    before = list(logging.getLogger("glymph").handlers)
    background._log_to_file()
    assert not any(
        isinstance(one, logging.FileHandler) for one in logging.getLogger("glymph").handlers
    )
    logging.getLogger("glymph.jobs").warning("said to nobody, and no harm done")
    assert list(logging.getLogger("glymph").handlers) == before
