"""The suite of queues on both of them, and what only the one in PostgreSQL has to show."""

from __future__ import annotations

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from glymph import Glymph
from glymph.jobs.job import Job
from glymph.jobs.priority import GIVES_WAY, give_way
from glymph.jobs.queues import open_queue
from glymph.jobs.queues.embedded import EmbeddedQueue
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.store.lease_fence import FencedStore
from glymph.testing.queue_suite import Diary, QueueSuite, count_runs
from glymph.upkeep import leases


class TestEmbedded(QueueSuite):
    @pytest.fixture
    def url(self, tmp_path):
        return f"sqlite:///{tmp_path}/memory.db"

    def queue(self, glymph, jobs, limit):
        return EmbeddedQueue(glymph, jobs=jobs, limit=limit)


class TestInPostgres(QueueSuite):
    """The queue in PostgreSQL, the store in SQLite.

    What a queue guarantees does not depend on the store.
    """

    @pytest.fixture
    def url(self, tmp_path, postgres_url):
        self.database = postgres_url
        return f"sqlite:///{tmp_path}/memory.db"

    def queue(self, glymph, jobs, limit):
        from glymph.jobs.queues.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue(
            glymph, url=self.database, jobs=jobs, limit=limit, look=1.0, poll=0.1
        )


class TestInTheDatabaseOfTheStore(QueueSuite):
    """Store and queue in one PostgreSQL database."""

    @pytest.fixture
    def url(self, empty_postgres_store):
        return empty_postgres_store

    def queue(self, glymph, jobs, limit):
        from glymph.jobs.queues.procrastinate import ProcrastinateQueue

        return ProcrastinateQueue(
            glymph, url=glymph.url, jobs=jobs, limit=limit, look=1.0, poll=0.1
        )


# what only the queue in PostgreSQL has to show


@pytest.fixture
def work(glymph, postgres_url):
    """The queue of a store in SQLite, and a way to ask its database."""
    psycopg = pytest.importorskip("psycopg")
    from glymph.jobs.queues.procrastinate import ProcrastinateQueue, build

    build(postgres_url)
    diary = Diary("one", "two")
    queue = ProcrastinateQueue(glymph, url=postgres_url, jobs=diary.jobs, look=1.0, poll=0.1)
    with psycopg.connect(
        postgres_url, autocommit=True, options="-c search_path=glymph_jobs"
    ) as connection:
        yield queue, connection
    queue.close()


def jobs(connection):
    return connection.execute(
        "SELECT task_name, lock, status::text FROM glymph_jobs.procrastinate_jobs"
    ).fetchall()


def test_the_engine_of_the_store_chooses_the_queue(glymph, postgres_url):
    assert type(open_queue(glymph)).__name__ == "EmbeddedQueue"
    with Glymph.open(postgres_url) as there:
        queue = open_queue(there, url=f"{postgres_url}?mode=rw", limit=7)
        assert type(queue).__name__ == "ProcrastinateQueue"
        assert queue.limit == 7
        assert queue.put("default", "health")
        queue.close()


def test_the_tables_are_made_once_though_many_workers_begin_at_once(postgres_url):
    psycopg = pytest.importorskip("psycopg")
    from glymph.jobs.queues.procrastinate import build

    ready = threading.Barrier(6)

    def begin():
        ready.wait()
        build(postgres_url)

    with ThreadPoolExecutor(6) as workers:
        for begun in [workers.submit(begin) for _ in range(6)]:
            begun.result()
    with psycopg.connect(postgres_url) as connection:
        assert jobs(connection) == []
        connection.execute("SET search_path TO public")
        assert connection.execute("SELECT to_regclass('procrastinate_jobs')").fetchone() == (None,)


def test_tables_of_an_older_library_are_made_anew_and_those_of_a_newer_one_are_left(
    work, postgres_url
):
    from glymph.jobs.queues.procrastinate import build

    queue, connection = work
    queue.put("default", "one")
    connection.execute("COMMENT ON SCHEMA glymph_jobs IS '99.0.0'")
    build(postgres_url)
    assert len(jobs(connection)) == 1
    connection.execute("COMMENT ON SCHEMA glymph_jobs IS '3.9.9'")
    build(postgres_url)
    assert jobs(connection) == []


def test_a_queue_that_was_thrown_away_loses_nothing(work, glymph):
    queue, connection = work
    queue.run_dry(threading.Event())
    queue.put("default", "one")
    assert jobs(connection) == [("glymph:one", "default", "todo")]
    connection.execute("DROP SCHEMA glymph_jobs CASCADE")
    queue.run_dry(threading.Event())
    assert (count_runs(glymph, "default", "one"), count_runs(glymph, "default", "two")) == (2, 1)


def test_what_counts_as_running_but_nobody_runs_is_taken_up(work, glymph):
    queue, connection = work
    queue.put("default", "one")
    connection.execute("UPDATE glymph_jobs.procrastinate_jobs SET status = 'doing'")
    queue.run_dry(threading.Event())
    assert count_runs(glymph, "default", "one") == 1


def test_a_job_that_is_delivered_twice_is_done_once(work, glymph):
    queue, connection = work
    queue.run_dry(threading.Event())
    queue.put("default", "one")
    connection.execute(
        "INSERT INTO glymph_jobs.procrastinate_jobs"
        "(queue_name, task_name, lock, queueing_lock, args) "
        "SELECT queue_name, task_name, lock, 'again', args FROM glymph_jobs.procrastinate_jobs"
    )
    queue.run_dry(threading.Event())
    assert count_runs(glymph, "default", "one") == 2


def test_what_was_done_leaves_no_row_and_what_was_given_up_is_seen_as_failed(
    work, glymph, clock, postgres_url
):
    from glymph.jobs.queues.procrastinate import ProcrastinateQueue

    queue, connection = work

    def jobs_of_spaces():  # a look may come due at the moment the run ends: it waits for the next
        return [row for row in jobs(connection) if row[0] != "glymph:look"]

    queue.run_dry(threading.Event())
    assert jobs_of_spaces() == []

    def fails(ctx, trigger):
        raise OSError("no feed")

    broken = Job(name="broken", every=timedelta(days=1), order=0, run=fails)
    other = ProcrastinateQueue(glymph, url=postgres_url, jobs=[broken], look=1.0, poll=0.1)
    for _ in range(5):
        assert jobs_of_spaces() == []
        other.run_dry(threading.Event())
        clock.advance(hours=2)
    assert jobs_of_spaces() == [("glymph:broken", "default", "failed")]
    assert [letter.ticket.id for letter in other.dead()] == ["default/broken"]


def test_while_the_database_of_the_queue_is_away_a_job_is_put_all_the_same(glymph, caplog):
    from glymph.jobs.queues.procrastinate import ProcrastinateQueue

    queue = ProcrastinateQueue(
        glymph, url="postgresql://nobody@127.0.0.1:1/none", jobs=Diary("one").jobs
    )
    assert queue.put("default", "one")
    assert queue.counts().waiting == 1
    assert "the next look will see what is due" in caplog.text


def test_a_worker_on_a_store_that_can_only_be_read_is_refused(url, glymph):
    from glymph.errors import ReadOnlyStore

    with Glymph.open(f"{url}?mode=ro") as handle, pytest.raises(ReadOnlyStore):
        EmbeddedQueue(handle).run(threading.Event())


# what is asked for while it runs


@pytest.fixture(params=["sqlite", "postgresql"])
def asked(request, tmp_path, clock):
    """Runs a job until nothing is due, with a way to ask for it once more; how often it ran."""
    url = f"sqlite:///{tmp_path}/memory.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("empty_postgres_store")
    ran = []
    with (
        Glymph.open(url, clock=clock, actor="daemon") as worker,
        Glymph.open(url, clock=clock) as other,
    ):

        def ask():
            clock.advance(seconds=1)
            StoreJobs(other, jobs).put("default", "one")

        def work(while_running):
            def run(ctx, trigger):
                ran.append(ctx.now())
                if len(ran) == 1:
                    while_running(ask)
                return {}

            jobs.append(Job(name="one", every=timedelta(days=1), order=0, run=run))
            EmbeddedQueue(worker, jobs=jobs).run_dry(threading.Event())
            return len(ran)

        jobs = []
        yield work


def test_what_is_asked_for_while_it_runs_is_done_once_more(asked, clock):
    def ask_and_go_on(ask):
        ask()
        clock.advance(seconds=1)

    assert asked(ask_and_go_on) == 2


def test_what_is_asked_for_when_the_lease_of_who_runs_it_is_over_is_done_once_more(asked, clock):
    def ask_late_and_go_on(ask):
        clock.advance(seconds=2 * leases.LASTS)
        ask()
        clock.advance(seconds=1)

    assert asked(ask_late_and_go_on) == 2


def test_what_is_asked_for_just_before_a_run_is_noted_is_done_once_more(asked, monkeypatch):
    real = FencedStore.writing

    def ask_before_the_next_transaction(ask):
        def writing(*arguments, **options):
            monkeypatch.setattr(FencedStore, "writing", real)
            ask()
            return real(*arguments, **options)

        monkeypatch.setattr(FencedStore, "writing", writing)

    assert asked(ask_before_the_next_transaction) == 2


def test_what_is_due_and_asked_for_again_before_anybody_is_at_work_is_done_once(glymph, clock):
    diary = Diary("one")
    store = StoreJobs(glymph, diary.jobs)
    store.mark_new_as_due()
    clock.advance(seconds=1)
    assert not store.put("default", "one")
    EmbeddedQueue(glymph, jobs=diary.jobs).run_dry(threading.Event())
    assert count_runs(glymph, "default", "one") == 1


# giving way


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows the niceness of a thread")
def test_a_thread_that_gives_way_runs_behind_others_and_so_do_those_that_it_starts():
    found = {}

    def note(name):
        found[name] = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())

    def work():
        give_way()
        note("own")
        started = threading.Thread(target=note, args=["started"])
        started.start()
        started.join()

    before = os.getpriority(os.PRIO_PROCESS, 0)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == {"own": max(before, GIVES_WAY), "started": max(before, GIVES_WAY)}
    assert os.getpriority(os.PRIO_PROCESS, 0) == before


def test_who_may_not_give_way_goes_on(monkeypatch):
    asked = []

    def forbid(*wanted):
        asked.append(wanted)
        raise PermissionError

    before = os.getpriority(os.PRIO_PROCESS, 0)
    monkeypatch.setattr(os, "setpriority", forbid, raising=False)
    give_way()
    assert len(asked) == (sys.platform == "linux")
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
