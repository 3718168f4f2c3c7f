"""The connections of a process to one PostgreSQL database: made ready, kept, counted."""

from __future__ import annotations

import logging
import os
import select
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from glymph import errors
from glymph.store.backends.postgresql import migrations, nearest
from glymph.store.backends.postgresql.connection import FOLLOWING, Connection
from glymph.store.backends.postgresql.pipeline import RawConnection
from glymph.store.backends.postgresql.translation import BUSY_SECONDS, REACH_SECONDS

log = logging.getLogger("glymph.store")

# Of one handle: a server runs eight calls at once, each may read while it writes.
MOST_CONNECTIONS = 24
MANY_NEW = 2_000  # rows of a table from which on the planner should hear of them


class NewestFirst(ConnectionPool[RawConnection]):
    """Gives out the connection that came back last.

    Its server process has plans and pages at hand; the others idle until they are closed.
    """

    def _get_ready_connection(self, timeout: float | None) -> RawConnection | None:
        self._pool.rotate(1)
        return super()._get_ready_connection(timeout)


class Pool:
    """The connections of this process to one database."""

    def __init__(self, conninfo: str, *, name: str, read_only: bool, synchronous: str) -> None:
        self._conninfo = conninfo
        self._name = name
        self._read_only = read_only
        self._synchronous = synchronous
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._pool: ConnectionPool[RawConnection] | None = None
        self._closed = False
        self._types: dict[str, dict[str, str]] = {}
        self._halves: TypeInfo | None = None
        self._statistics = Statistics()

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Connection]:
        """Opens a transaction: a writer sees what others have committed, a reader one moment."""
        if writes and self._read_only:
            raise errors.ReadOnlyStore(self._name)
        with self._current().connection(timeout=REACH_SECONDS) as raw:
            connection = Connection(raw, self._types, writes=writes)
            yield connection
            connection.commit()
        if connection.added:
            self._statistics.note(self._current(), connection.added)

    def _current(self) -> ConnectionPool[RawConnection]:
        with self._lock:
            if self._closed:
                raise PoolClosed("closed")
            if self._process != os.getpid():
                # Connections must not cross a fork: leave the parent's alone, unclosed.
                self._left_behind, self._pool, self._process = self._pool, None, os.getpid()
            if self._pool is None:
                self._pool = NewestFirst(
                    self._conninfo, connection_class=RawConnection, min_size=0,
                    max_size=MOST_CONNECTIONS, timeout=REACH_SECONDS, open=True,
                    reconnect_timeout=REACH_SECONDS, configure=self._configure,
                    check=_check_open, name="glymph",
                )  # fmt: skip
            return self._pool

    def _configure(self, raw: RawConnection) -> None:
        raw.set_autocommit(True)
        self.prepare(raw)
        if not self._types:
            self._types = types_of(raw)
        self._halves = nearest.introduce(raw, self._halves)

    def prepare(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Lets a fresh connection speak as Glymph's do."""
        for dumper in (
            Int8Dumper,
            Int8BinaryDumper,
        ):  # one type whatever the size, so one prepared plan
            raw.adapters.register_dumper(int, dumper)
        raw.execute(
            "SELECT set_config('search_path', 'glymph, public', false), "
            "set_config('client_encoding', 'UTF8', false), "
            f"set_config('lock_timeout', '{int(BUSY_SECONDS)}s', false), "
            "set_config('synchronous_commit', %s, false)",
            (self._synchronous,),
        )
        if migrations.bypasses(raw):
            raw.execute(f"SET ROLE {migrations.ROLE}")  # policies do not bind who is connected

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Opens a connection as the user of the URL, outside the pool: the caller's to close."""
        return psycopg.connect(self._conninfo, autocommit=True, connect_timeout=int(REACH_SECONDS))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._pool is not None and self._process == os.getpid():
                self._pool.close()


class Statistics:
    """Keeps the planner from taking tables for empty that this process has just filled.

    The server looks at tables by itself, but only about once a minute; until then it takes a
    hundred thousand new rows for none and may plan for hours.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._added: Counter[str] = Counter()
        self._enough: dict[str, int] = {}

    def note(self, pool: ConnectionPool[RawConnection], added: Mapping[str, int]) -> None:
        """Counts new rows, and has a table analysed when they outnumber those it was known for."""
        with self._lock:
            self._added.update(added)
            due = [
                table
                for table, count in self._added.items()
                if count >= self._enough.get(table, MANY_NEW)
            ]
        for table in due:
            try:
                rows = self._looked_at(pool, table)
            except (psycopg.Error, PoolTimeout, PoolClosed) as error:
                # What was written is committed. The table stays due, and the server looks at it in
                # a minute.
                log.warning("the planner could not be told of new rows of %s: %s", table, error)
                return
            with self._lock:
                self._added[table] = 0
                self._enough[table] = max(MANY_NEW, rows)

    def _looked_at(self, pool: ConnectionPool[RawConnection], table: str) -> int:
        with pool.connection(timeout=REACH_SECONDS) as raw:
            raw.execute(f"ANALYZE (SKIP_LOCKED) {', '.join((table, *FOLLOWING.get(table, ())))}")
            found = raw.execute(
                "SELECT reltuples FROM pg_class WHERE oid = %s::regclass", (table,)
            ).fetchone()
            return int(found[0]) if found else 0


def _check_open(raw: RawConnection) -> None:
    """Raises if the server has closed a connection; it is asked only where something came from it.

    A server that ended has closed its sockets, which the kernel knows without a round trip.
    """
    ready = select.poll()
    ready.register(raw.fileno(), select.POLLIN)
    if ready.poll(0):
        ConnectionPool.check_connection(raw)


def types_of(raw: psycopg.Connection[tuple[Any, ...]]) -> dict[str, dict[str, str]]:
    """Returns the type of each column of each table."""
    found: dict[str, dict[str, str]] = {}
    for table, column, kind in raw.execute(
        "SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_attribute a "
        "JOIN pg_class c ON c.oid = a.attrelid WHERE c.relnamespace = 'glymph'::regnamespace "
        "AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
    ):
        found.setdefault(table, {})[column] = kind
    return found
