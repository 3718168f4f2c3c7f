"""Connections to one PostgreSQL database: pooled per process, their errors translated once."""

from __future__ import annotations

import itertools
import logging
import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from numpy.typing import NDArray
from psycopg import sql as syntax
from psycopg.rows import dict_row
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from glymph import errors
from glymph.store.backends.postgresql import bulk, migrations, nearest, text_search
from glymph.store.backends.postgresql.dialect import POSTGRESQL
from glymph.store.backends.postgresql.translation import BUSY_SECONDS, REACH_SECONDS
from glymph.store.contract import NearRow, Row, Scored, VectorRow
from glymph.store.scan import Vectors
from glymph.text.query import Words

log = logging.getLogger("glymph.store")

# Of one handle: a server runs eight calls at once, each may read while it writes.
MOST_CONNECTIONS = 24
MANY_NEW = 2_000  # rows of a table from which on the planner should hear of them
PAGE = 2_000  # rows fetched at a time of a result that is never held as a whole

_numbers = itertools.count()


class Connection:
    """An open connection that shows the rows of one space at a time."""

    def __init__(
        self, raw: psycopg.Connection[tuple[Any, ...]], types: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.raw = raw
        self._types = types
        self.added: Counter[str] = Counter()  # rows by table

    def show(self, space_id: int) -> None:
        """Limits this transaction to one space."""
        self.raw.execute("SELECT set_config('glymph.space', %s, true)", (str(space_id),))

    # Session

    def each(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[Row]:
        name = f"rows_{next(_numbers)}"
        with self.raw.cursor(name=name, binary=True, row_factory=dict_row) as cursor:
            cursor.itersize = PAGE
            cursor.execute(POSTGRESQL.render(sql), parameters)
            yield from cursor

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        with self.raw.cursor(binary=True, row_factory=dict_row) as cursor:
            cursor.execute(POSTGRESQL.render(sql), parameters)
            return list(cursor.fetchall()) if cursor.description else []

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        with self.raw.cursor(binary=True) as cursor:
            cursor.execute(POSTGRESQL.render(sql), parameters)
            return cursor.fetchall() if cursor.description else []

    def execute(self, sql: str, parameters: Mapping[str, Any]) -> int:
        return self.raw.execute(POSTGRESQL.render(sql), parameters).rowcount

    def new_key(self, table: str) -> int:
        return int(
            self.tuples("SELECT nextval(CAST(:name AS regclass))", {"name": sequence(table)})[0][0]
        )

    def newest_key(self, table: str) -> int:
        # Writers of one space wait for one another, so whatever has a lower key is there, too.
        found = self.tuples(f"SELECT max(key) FROM scoped_{table}", {})
        return found[0][0] or 0

    # One statement for many rows, handed over column by column: triggers run once for all of them.

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        statement = syntax.SQL("INSERT INTO {} ({}) SELECT * FROM unnest({})").format(
            syntax.Identifier(table), _names(columns), self._arrays(table, columns)
        )
        self.raw.execute(statement, _columns(rows))
        self.added[table] += len(rows)
        if table == "vectors":
            at = [columns.index(name) for name in ("model", "memory", "wording", "vector")]
            nearest.keep(
                self.raw, [(row[at[0]], row[at[1]], row[at[2]], row[at[3]]) for row in rows]
            )

    def update(
        self, table: str, keys: Sequence[str], columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        both = [*keys, *columns]
        given = [syntax.Identifier(f"c{number}") for number in range(len(both))]
        equal = [
            syntax.SQL("{} = v.{}").format(syntax.Identifier(name), place)
            for name, place in zip(columns, given[len(keys) :], strict=True)
        ]
        found = [
            syntax.SQL("t.{} = v.{}").format(syntax.Identifier(name), place)
            for name, place in zip(keys, given, strict=False)
        ]
        statement = syntax.SQL("UPDATE {} t SET {} FROM unnest({}) AS v({}) WHERE {}").format(
            syntax.Identifier(table), syntax.SQL(", ").join(equal), self._arrays(table, both),
            syntax.SQL(", ").join(given), syntax.SQL(" AND ").join(found),
        )  # fmt: skip
        self.raw.execute(statement, _columns(rows))

    def _arrays(self, table: str, columns: Sequence[str]) -> syntax.Composed:
        types = self._types[table]
        return syntax.SQL(", ").join(syntax.SQL(f"%s::{types[column]}[]") for column in columns)

    def remove(self, table: str, space_id: int, keys: Sequence[int]) -> None:
        statement = syntax.SQL("DELETE FROM {} WHERE space_id = %s AND key = ANY(%s::bigint[])")
        self.raw.execute(statement.format(syntax.Identifier(table)), (space_id, list(keys)))

    def bulk_figures(
        self, table: str, first: int, upto: int
    ) -> tuple[dict[str, NDArray[Any]], list[str]]:
        return bulk.figures(self.raw, table, first, upto)

    def repeat(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        with self.raw.cursor() as cursor:
            cursor.executemany(POSTGRESQL.render(sql), rows)

    @property
    def text_index(self) -> None:
        return None  # it weighs words itself, by space

    def match(self, words: Words, where: str, parameters: Mapping[str, Any], limit: int) -> Scored:
        return text_search.match(self, words, where, parameters, limit)

    def hold(
        self, phrases: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int
    ) -> list[int]:
        return text_search.hold(self, phrases, where, parameters, limit)

    def match_among(self, rows: Iterable[Mapping[str, Any]], words: Words, limit: int) -> Scored:
        return text_search.match_among(self, rows, words, limit)

    def frequency(self, word: str) -> float:
        return text_search.frequency(self, word)

    def occurs(self, word: str) -> bool:
        return text_search.occurs(self, word)

    def add_vectors(self, space_id: int, model: int, rows: Iterable[VectorRow]) -> None:
        self.added["vectors"] += nearest.add(self, self.raw, space_id, model, rows)

    def nearest(
        self,
        model: int,
        query: Vectors,
        where: str | None,
        parameters: Mapping[str, Any],
        *,
        among: Sequence[int] | None,
        limit: int,
    ) -> list[NearRow]:
        return nearest.nearest(self, model, query, where, parameters, among=among, limit=limit)

    def embedded_keys(
        self, model: int, *, after: int, memories: Sequence[int] | None
    ) -> tuple[bytes, bytes]:
        return nearest.embedded_keys(self, model, after=after, memories=memories)


def sequence(table: str) -> str:
    """Returns the name of the sequence that gives out the keys of a table."""
    return f"glymph.{table}_{'id' if table == 'journal' else 'key'}_seq"


def _names(columns: Sequence[str]) -> syntax.Composed:
    return syntax.SQL(", ").join(map(syntax.Identifier, columns))


def _columns(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


class Pool:
    """The connections of this process to one database."""

    def __init__(self, conninfo: str, *, name: str, read_only: bool, synchronous: str) -> None:
        self._conninfo = conninfo
        self._name = name
        self._read_only = read_only
        self._synchronous = synchronous
        self._lock = threading.Lock()
        self._process = os.getpid()
        self._pool: ConnectionPool[psycopg.Connection[tuple[Any, ...]]] | None = None
        self._closed = False
        self._types: dict[str, dict[str, str]] = {}
        self._statistics = Statistics()

    @contextmanager
    def transaction(self, *, writes: bool) -> Iterator[Connection]:
        """Opens a transaction: a writer sees what others have committed, a reader one moment."""
        if writes and self._read_only:
            raise errors.ReadOnlyStore(self._name)
        with self._current().connection(timeout=REACH_SECONDS) as raw:
            raw.isolation_level = _LEVELS[writes]
            raw.read_only = not writes
            connection = Connection(raw, self._types)
            yield connection
        if connection.added:
            self._statistics.note(self._current(), connection.added)

    def _current(self) -> ConnectionPool[psycopg.Connection[tuple[Any, ...]]]:
        with self._lock:
            if self._closed:
                raise PoolClosed("closed")
            if self._process != os.getpid():
                # Connections must not cross a fork: leave the parent's alone, unclosed.
                self._left_behind, self._pool, self._process = self._pool, None, os.getpid()
            if self._pool is None:
                self._pool = ConnectionPool(
                    self._conninfo, min_size=0, max_size=MOST_CONNECTIONS, timeout=REACH_SECONDS,
                    reconnect_timeout=REACH_SECONDS, configure=self._configure, open=True,
                    check=ConnectionPool.check_connection, name="glymph",
                )  # fmt: skip
            return self._pool

    def _configure(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        raw.autocommit = True
        self.prepare(raw)
        raw.autocommit = False
        if not self._types:
            self._types = types_of(raw)
            raw.rollback()

    def prepare(self, raw: psycopg.Connection[tuple[Any, ...]]) -> None:
        """Lets a fresh connection speak as Glymph's do."""
        for dumper in (
            Int8Dumper,
            Int8BinaryDumper,
        ):  # one type whatever the size, so one prepared plan
            raw.adapters.register_dumper(int, dumper)
        raw.execute(
            "SELECT set_config('search_path', 'glymph, public', false), "
            f"set_config('lock_timeout', '{int(BUSY_SECONDS)}s', false), "
            # lists are short or long: so are plans
            "set_config('plan_cache_mode', 'force_custom_plan', false), "
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

    def note(
        self, pool: ConnectionPool[psycopg.Connection[tuple[Any, ...]]], added: Mapping[str, int]
    ) -> None:
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

    def _looked_at(
        self, pool: ConnectionPool[psycopg.Connection[tuple[Any, ...]]], table: str
    ) -> int:
        with pool.connection(timeout=REACH_SECONDS) as raw:
            raw.read_only = False
            raw.execute(f"ANALYZE (SKIP_LOCKED) {', '.join((table, *_FOLLOWING.get(table, ())))}")
            found = raw.execute(
                "SELECT reltuples FROM pg_class WHERE oid = %s::regclass", (table,)
            ).fetchone()
            return int(found[0]) if found else 0


# Tables that fill with others, by triggers.
_FOLLOWING = {
    "memories": ("memory_text", "journal", "operations"),
    "edges": ("journal",),
    "vectors": ("meanings",),
}  # fmt: skip
_LEVELS = {
    True: psycopg.IsolationLevel.READ_COMMITTED,
    False: psycopg.IsolationLevel.REPEATABLE_READ,
}


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
