"""The queue in PostgreSQL, by procrastinate: any number of workers on any number of machines.

It holds what is to be run now, in a schema of its own, and says who runs it: the lock of a job is
its space. When a job is due, how far it came and how often it failed stands in the store. So
procrastinate's own retries are not used: one that meets a job of the same name in the queue would
leave its own as running, and the space locked.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from glymph.client import Glymph
from glymph.errors import GlymphError, StoreError
from glymph.jobs.job import Job
from glymph.jobs.priority import give_way
from glymph.jobs.queues.contract import DRAIN, GIVEN_UP, LIMIT, Counts, DeadLetter, TakeIn, Ticket
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.jobs.worker import SESSION, UPKEEP

if TYPE_CHECKING:
    from procrastinate import App
    from procrastinate.connector import BaseConnector

log = logging.getLogger("glymph.worker")

SCHEMA = "glymph_jobs"
LOOK_TASK = "glymph:look"
FIRST = 1_000_000  # the priority of a look: it goes before all jobs
LOOK = 60.0  # seconds between two looks at what is due
# seconds between two questions for a job: the end of one that blocked others is not announced
POLL = 1.0
DRY_LOOK = 0.3  # seconds between two looks of a worker that ends when nothing is due
BEAT = 10.0  # seconds between two signs of life of a worker
STALLED = 30.0  # seconds without one after which it counts as dead
TROUBLED = 2.0  # seconds until a worker begins anew after trouble with the database
GLANCE = 0.1  # seconds between two looks at whether to stop
PATIENCE = 5.0  # seconds for a connection
IDLE = 30_000  # milliseconds
OPEN = ("todo", "doing")
OWN_OPTIONS = ("mode", "keys")  # of a store's URL, unknown to PostgreSQL
KEPT = 24 * 30  # hours for which jobs that failed can be looked at
BUILDING = 0x676C796D7068  # the advisory lock under which the tables are made


class ProcrastinateQueue:
    """`url` names the database of the queue; without it, that of the store."""

    def __init__(
        self,
        glymph: Glymph,
        *,
        url: str | None = None,
        limit: int = LIMIT,
        jobs: Sequence[Job] | None = None,
        look: float = LOOK,
        poll: float = POLL,
        beat: float = BEAT,
        stalled: float = STALLED,
    ) -> None:
        self._store, self._limit = StoreJobs(glymph, jobs), limit
        self._url = _database_url(url or glymph.url)
        self._look_every, self._poll, self._beat, self._stalled = look, poll, beat, stalled
        self._client: App | None = None
        self._dry = False  # whether to end when nothing is due
        self._broken: set[Ticket] = set()  # jobs that could not be begun: nobody waits for them

    @property
    def limit(self) -> int:
        return self._limit

    def put(self, space: str, job: str) -> bool:
        new = self._store.put(space, job)
        self._send([Ticket(space, job)])
        return new

    def put_session(self, space: str, row: str, payload: Mapping[str, Any]) -> bool:
        new = self._store.put_session(space, row, payload)
        if new:
            self._send([Ticket(space, SESSION, row)])
        return new

    def counts(self) -> Counts:
        return self._store.counts()

    def dead(self) -> list[DeadLetter]:
        return self._store.dead()

    def retry(self, ticket_id: str) -> DeadLetter:
        letter = self._store.put_back(ticket_id)
        self._send([letter.ticket])
        return letter

    def run(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        self._store.check()
        self._dry = False
        self._broken.clear()
        return self._in_thread(stop, take_in, drain)

    def run_dry(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        self._store.check()
        self._store.mark_new_as_due()
        self._dry = True
        self._broken.clear()
        return self._in_thread(stop, take_in, drain)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    # putting

    def _send(self, tickets: Iterable[Ticket]) -> None:
        """Puts jobs into the queue at once; if that cannot be done now, the next look does it."""
        from procrastinate import SyncPsycopgConnector, exceptions

        try:
            if self._client is None:
                build(self._url)
                self._client = self._app(
                    SyncPsycopgConnector(**self._connection_options()), threading.Event()
                ).open()
            for ticket in tickets:
                try:
                    self._client.configure_task(task_of(ticket), **self._options(ticket)).defer(
                        **_arguments(ticket)
                    )
                except exceptions.AlreadyEnqueued:
                    log.debug("job %s waits already", ticket.id)
        except (exceptions.ConnectorException, StoreError) as error:
            log.warning(
                "the queue is away, the next look will see what is due: %s",
                error.__cause__ or error,
            )

    def _options(self, ticket: Ticket) -> dict[str, Any]:
        """Returns what procrastinate is told of a job: its locks and its priority."""
        ranks = {one.schedule: -one.order for one in self._store.scheduled_jobs}
        return {
            "lock": ticket.space,
            "queueing_lock": ticket.id,
            "priority": ranks.get(ticket.name, 0),
        }

    # working

    def _in_thread(self, stop: threading.Event, take_in: TakeIn | None, drain: float) -> bool:
        """Runs the event loop beside the caller, who hears signals and can leave the last job."""
        failed: list[BaseException] = []

        def work() -> None:
            give_way()  # before the threads of jobs and connections, which do as it does
            try:
                asyncio.run(self._serve_always(stop, take_in))  # the one event loop there is
            except BaseException as error:
                failed.append(error)
                raise

        thread = threading.Thread(target=work, name="glymph-worker", daemon=True)
        thread.start()
        while thread.is_alive() and not stop.wait(GLANCE):
            continue
        thread.join(drain)
        if failed:
            raise failed[0]
        return not thread.is_alive()

    async def _serve_always(self, stop: threading.Event, take_in: TakeIn | None) -> None:
        """Serves; after trouble with the database it begins anew, under a new number.

        So whatever an old number may have left as running counts as left behind, and is taken up
        again.
        """
        import psycopg
        from procrastinate import exceptions

        asyncio.get_running_loop().set_default_executor(
            ThreadPoolExecutor(self._limit + 4, "glymph-job")
        )
        while not stop.is_set():
            try:
                await self._serve(stop, take_in)
                return
            except (exceptions.ConnectorException, psycopg.Error, GlymphError) as error:
                log.warning("the database is away, trying again: %s", error.__cause__ or error)
            ends = time.monotonic() + TROUBLED
            while not stop.is_set() and time.monotonic() < ends:
                await asyncio.sleep(GLANCE)

    async def _serve(self, stop: threading.Event, take_in: TakeIn | None) -> None:
        """Works until it is to stop or nothing is due; raises on trouble with the database."""
        await asyncio.to_thread(build, self._url)
        connector = _make_connector(self._connection_options())
        app = self._app(connector, stop)
        async with app.open_async():
            await self._look(app)
            poll = min(self._poll, GLANCE) if self._dry else self._poll
            worker = asyncio.create_task(
                app.run_worker_async(
                    name=f"glymph-{id(self):x}",
                    concurrency=self._limit,
                    install_signal_handlers=False,
                    delete_jobs="successful",
                    fetch_job_polling_interval=poll,
                    update_heartbeat_interval=self._beat,
                    stalled_worker_timeout=self._stalled,
                )
            )
            try:
                finished = await self._oversee(app, worker, connector, stop=stop, take_in=take_in)
            finally:
                worker.cancel()
                await asyncio.wait({worker})
            if not worker.cancelled() and (error := worker.exception()) is not None:
                raise error
        if not finished:
            raise connector.trouble or StoreError("the worker's connection ended")

    async def _oversee(
        self, app: App, worker: asyncio.Task[None], connector: Any, *, stop: threading.Event,
        take_in: TakeIn | None,
    ) -> bool:  # fmt: skip
        """Waits for a reason to end, and takes in what hooks left; returns False on trouble."""
        looked = -float("inf")
        while not (stop.is_set() or worker.done() or connector.trouble):
            if take_in is not None and time.monotonic() - looked >= self._look_every:
                looked = time.monotonic()
                if await asyncio.to_thread(take_in):
                    await self._look(app)
            if self._dry and not await self._look(app):
                return True
            await asyncio.wait({worker}, timeout=DRY_LOOK if self._dry else GLANCE)
        return stop.is_set()

    async def _look(self, app: App) -> int:
        """Takes from dead workers what they had begun, and puts in what is due; returns how many.

        What a dead worker had begun ends here; if it is still due, a new job does it: should the
        old worker only have slept, it cannot end the job of its successor.
        """
        from procrastinate import exceptions
        from procrastinate.jobs import Status

        jobs = app.job_manager
        await jobs.prune_stalled_workers(self._stalled)
        for left in await jobs.get_stalled_jobs(seconds_since_heartbeat=self._stalled):
            log.warning("job %s was left behind by its worker", left.queueing_lock)
            try:
                await jobs.finish_job_by_id_async(left.id or 0, Status.ABORTED, delete_job=True)
            except exceptions.ConnectorException as error:
                if _is_connection_error(error):
                    raise
                log.info("job %s was ended by somebody else meanwhile", left.queueing_lock)
        known = {
            job.queueing_lock for state in OPEN for job in await jobs.list_jobs_async(status=state)
        }
        due = await asyncio.to_thread(
            lambda: [one for one in self._store.find_due() if one not in self._broken]
        )
        for ticket in due:
            if ticket.id in known:
                continue
            try:
                await app.configure_task(task_of(ticket), **self._options(ticket)).defer_async(
                    **_arguments(ticket)
                )
            except exceptions.AlreadyEnqueued:  # another look was faster
                continue
        await jobs.delete_old_jobs(KEPT, include_failed=True, include_aborted=True)
        return len(due)

    # what procrastinate knows

    def _connection_options(self) -> dict[str, Any]:
        # A worker that is suspended in a transaction must not keep its rows locked for the others.
        options = {
            "options": f"-c search_path={SCHEMA} -c idle_in_transaction_session_timeout={IDLE}"
        }
        return {
            "conninfo": self._url,
            "kwargs": options,
            "min_size": 1,
            "max_size": 4,
            "timeout": PATIENCE,
        }

    def _app(self, connector: BaseConnector, stop: threading.Event) -> App:
        """Makes the tasks: one for each scheduled job, each kind of queue item, and the look."""
        from procrastinate import App

        app = App(connector=connector)
        for name in (SESSION, UPKEEP, *(one.schedule for one in self._store.scheduled_jobs)):
            app.task(name=task_of(Ticket("", name)))(partial(self._run, stop, name))

        async def look(timestamp: int) -> None:
            await self._look(app)

        cron = (
            "* * * * *"
            if self._look_every >= 60
            else f"* * * * * */{max(1, int(self._look_every))}"
        )
        app.periodic(cron=cron)(
            app.task(name=LOOK_TASK, queueing_lock=LOOK_TASK, priority=FIRST)(look)
        )
        return app

    def _run(self, stop: threading.Event, name: str, space: str, row: str = "") -> None:
        """Runs one job, in a thread. What the store could not do now is put in again by a look."""
        ticket = Ticket(space, name, row)
        try:
            how = self._store.run(ticket, stop)
        except GlymphError as error:
            log.warning("job %s: %s", ticket.id, error)
            if self._dry:
                self._broken.add(ticket)
            return
        if how == GIVEN_UP:
            raise JobGivenUp(
                f"job {ticket.id} was given up; `glymph sleep worker --dead` tells why"
            )


class JobGivenUp(Exception):
    """Shows a dead letter as failed in procrastinate's own tools, too."""


def task_of(ticket: Ticket) -> str:
    return f"glymph:{ticket.name}"


def _arguments(ticket: Ticket) -> dict[str, Any]:
    return {"space": ticket.space, "row": ticket.row}


def _make_connector(options: Mapping[str, Any]) -> Any:
    """Makes a connector that remembers trouble with the connection.

    An answer that did not arrive may have been one all the same: a job that nobody knows to be his.
    """
    from procrastinate import PsycopgConnector, exceptions

    class Connector(PsycopgConnector):
        trouble: Exception | None = None

        async def execute_query_async(self, query: Any, **arguments: Any) -> None:
            await self._watch(super().execute_query_async(query, **arguments))

        async def execute_query_one_async(self, query: Any, **arguments: Any) -> dict[str, Any]:
            found: dict[str, Any] = await self._watch(
                super().execute_query_one_async(query, **arguments)
            )
            return found

        async def execute_query_all_async(
            self, query: Any, **arguments: Any
        ) -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = await self._watch(
                super().execute_query_all_async(query, **arguments)
            )
            return found

        async def _watch(self, call: Awaitable[Any]) -> Any:
            try:
                return await call
            except exceptions.ConnectorException as error:
                if _is_connection_error(error):
                    self.trouble = error
                raise

    return Connector(**options)


def _database_url(url: str) -> str:
    """Returns a store's URL for PostgreSQL's own library, without the options of the store."""
    parts = urlsplit(url)
    options = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if name not in OWN_OPTIONS
    ]
    return urlunsplit(parts._replace(query=urlencode(options, quote_via=quote)))


def _is_connection_error(error: Exception) -> bool:
    """Tells whether an error is about the connection, and not about what was asked."""
    import psycopg

    return isinstance(error.__cause__, psycopg.OperationalError | psycopg.InterfaceError)


def build(url: str) -> None:
    """Makes the tables of the queue once; those of an older procrastinate are made anew.

    Nothing is lost by it: what is due stands in the store.
    """
    import psycopg
    from procrastinate import __version__
    from procrastinate.schema import SchemaManager

    try:
        with psycopg.connect(url) as connection:
            if _has_tables(connection, __version__):
                return
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (BUILDING,))
            if _has_tables(connection, __version__):
                return
            connection.execute(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE")
            connection.execute(f"CREATE SCHEMA {SCHEMA}")
            connection.execute(f"COMMENT ON SCHEMA {SCHEMA} IS '{__version__}'")
            connection.execute(f"SET LOCAL search_path TO {SCHEMA}")
            connection.execute(SchemaManager.get_schema())
    except psycopg.Error as error:
        raise StoreError(
            f"The queue in PostgreSQL cannot be used: {error}. Look whether the server runs."
        ) from error


def _has_tables(connection: Any, version: str) -> bool:
    """Tells whether the tables are there, made by this procrastinate or a newer one."""
    found = connection.execute(
        "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = %s",
        (SCHEMA,),
    ).fetchone()
    return found is not None and _parse_version(found[0] or "0") >= _parse_version(version)


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:3] if part.isdigit())
