"""Connections to one PostgreSQL database: pooled per process, their errors translated once."""

from __future__ import annotations

import itertools
import logging
import os
import re
import select
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import Any

import psycopg
from numpy.typing import NDArray
from psycopg import sql as syntax
from psycopg.rows import dict_row
from psycopg.types import TypeInfo
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg_pool import ConnectionPool, PoolClosed, PoolTimeout

from glymph import errors
from glymph.store.backends.postgresql import bulk, migrations, nearest, text_search
from glymph.store.backends.postgresql.dialect import POSTGRESQL
from glymph.store.backends.postgresql.pipeline import (
    Answer,
    Pipeline,
    RawConnection,
    compile_statement,
)
from glymph.store.backends.postgresql.translation import BUSY_SECONDS, REACH_SECONDS
from glymph.store.contract import Ask, Lookup, NearRow, NewestKey, NewKeys, Row, Scored, VectorRow
from glymph.store.scan import Vectors
from glymph.text.query import Words

log = logging.getLogger("glymph.store")

# Of one handle: a server runs eight calls at once, each may read while it writes.
MOST_CONNECTIONS = 24
MANY_NEW = 2_000  # rows of a table from which on the planner should hear of them
PAGE = 2_000  # rows fetched at a time of a result that is never held as a whole

MOST_QUEUED = 1_000  # statements that wait for one another

Foreseen = tuple[str, tuple[Any, ...]]  # a statement, and the values of its parameters

_numbers = itertools.count()


class Connection:
    """A connection inside a transaction that shows the rows of one space at a time.

    What brings nothing back waits, and goes out with the next statement that does: a refusal is
    raised there, or at the end of the transaction.
    """

    def __init__(
        self, raw: RawConnection, types: Mapping[str, Mapping[str, str]], *, writes: bool
    ) -> None:
        self._raw = raw
        self._types = types
        self._pipeline = Pipeline(raw)
        self._foreseen: dict[Foreseen, Answer] = {}
        self._reserved: dict[str, Answer] = {}  # keys of tables, drawn ahead
        self._entering: tuple[str, Answer] | None = None
        self.added: Counter[str] = Counter()  # rows by table
        self._pipeline.add(_BEGIN[writes])

    @property
    def raw(self) -> RawConnection:
        """The driver's connection, for what is no statement with rows; nothing waits any more."""
        self._send()
        return self._raw

    def show(self, space_id: int) -> None:
        """Limits this transaction to one space."""
        self._foreseen.clear()
        self.run("SELECT set_config('glymph.space', :shown, true)", {"shown": str(space_id)})

    def enter(self, space: str, sql: str, parameters: Mapping[str, Any]) -> Answer:
        """Queues the statement that shows a space; SpaceNotFound once it has shown none."""
        answer = self._pipeline.ask(sql, parameters)
        self._entering = space, answer
        return answer

    def settle(self) -> None:
        """Leaves nothing waiting."""
        self._send()

    def ask_first(
        self, sql: str, parameters: Mapping[str, Any], ahead: Iterable[Ask]
    ) -> list[tuple[Any, ...]]:
        """Asks a statement, and what will be asked for after it, in one round trip."""
        self._foreseen.clear()
        self._reserved.clear()
        answer = self._pipeline.ask(sql, parameters)
        self.foresee(ahead)
        self._send()
        return answer.tuples()

    def commit(self) -> None:
        """Makes all of it durable, in one round trip with what still waits."""
        self._pipeline.add(b"COMMIT")
        self._send()

    def _send(self) -> None:
        self._pipeline.send()
        if self._entering is not None:
            (space, answer), self._entering = self._entering, None
            if not answer.tuples():
                raise errors.SpaceNotFound(space)

    # Session

    def each(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[Row]:
        name = f"rows_{next(_numbers)}"
        with self.raw.cursor(name=name, binary=True, row_factory=dict_row) as cursor:
            cursor.itersize = PAGE
            cursor.execute(POSTGRESQL.render(sql), parameters)
            yield from cursor

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        return self._ask(sql, parameters).rows()

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self._ask(sql, parameters).tuples()

    def execute(self, sql: str, parameters: Mapping[str, Any]) -> int:
        return self._ask(sql, parameters).count()

    def _ask(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        answer = self._find_foreseen(sql, parameters)
        if answer is None:
            self._forget(written_by(sql))
            answer = self._pipeline.ask(sql, parameters)
        if answer.result is None:
            self._send()
        return answer

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        self._forget(written_by(sql))
        self._pipeline.ask(sql, parameters)
        if len(self._pipeline) >= MOST_QUEUED:
            self._send()

    def repeat(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        for row in rows:
            self.run(sql, row)

    # What will be asked for is sent along before it is, and kept until something changes it.

    def foresee(self, asks: Iterable[Ask]) -> None:
        for ask in asks:
            if isinstance(ask, NewKeys):
                self._reserved[ask.table] = self._draw(ask.table, ask.count)
                continue
            sql, parameters = (_newest_key(ask.table), {}) if isinstance(ask, NewestKey) else ask
            known = self._name_foreseen(sql, parameters)
            if known not in self._foreseen:
                self._foreseen[known] = self._pipeline.ask(sql, parameters)

    def foreseen(self, lookup: Lookup) -> list[tuple[Any, ...]] | None:
        answer = self._find_foreseen(*lookup)
        if answer is not None and answer.result is None:
            self._send()
        return None if answer is None else answer.tuples()

    def recognise(self, foreseen: Lookup, as_: Lookup) -> None:
        answer = self._foreseen.get(self._name_foreseen(*foreseen))
        if answer is not None:
            self._foreseen[self._name_foreseen(*as_)] = answer

    def _name_foreseen(self, sql: str, parameters: Mapping[str, Any]) -> Foreseen:
        values = (parameters[name] for name in compile_statement(sql).names)
        return sql, tuple(tuple(one) if isinstance(one, list) else one for one in values)

    def _find_foreseen(self, sql: str, parameters: Mapping[str, Any]) -> Answer | None:
        if not self._foreseen:
            return None
        return self._foreseen.get(self._name_foreseen(sql, parameters))

    def _forget(self, written: str | None) -> None:
        """Drops what was foreseen of a table that is written to, and of those that follow it."""
        if written is None or not self._foreseen:
            return
        tables = "|".join((written, *_FOLLOWING.get(written, ())))
        stale = re.compile(rf"\b(?:scoped_)?(?:{tables})\b")
        self._foreseen = {
            known: answer for known, answer in self._foreseen.items() if not stale.search(known[0])
        }

    def new_key(self, table: str) -> int:
        return self.new_keys(table, 1)[0]

    def new_keys(self, table: str, count: int) -> list[int]:
        drawn = self._reserved.pop(table, None) or self._draw(table, count)
        if drawn.result is None:
            self._send()
        keys = [key for (key,) in drawn.tuples()]
        if len(keys) < count:  # more than was foreseen; those drawn are never used
            return self.new_keys(table, count)
        return keys[:count]

    def _draw(self, table: str, count: int) -> Answer:
        return self._pipeline.ask(_NEW_KEYS, {"name": sequence(table), "count": count})

    def newest_key(self, table: str) -> int:
        # Writers of one space wait for one another, so whatever has a lower key is there, too.
        found = self.tuples(_newest_key(table), {})
        return found[0][0] or 0

    # One statement for many rows, handed over column by column: triggers run once for all of them.

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        self._forget(table)
        types = self._types[table]
        text = _insertion(table, tuple((column, types[column]) for column in columns))
        self._pipeline.add(text, _columns(rows))
        self.added[table] += len(rows)
        if table == "vectors":
            at = [columns.index(name) for name in ("model", "memory", "wording", "vector")]
            nearest.keep(
                self._pipeline, [(row[at[0]], row[at[1]], row[at[2]], row[at[3]]) for row in rows]
            )

    def update(
        self, table: str, keys: Sequence[str], columns: Sequence[str],
        rows: Sequence[Sequence[Any]], *, for_good: bool = False,
    ) -> None:  # fmt: skip
        self._forget(table)
        types = self._types[table]
        both = tuple((column, types[column]) for column in (*keys, *columns))
        self._pipeline.add(_change(table, both, len(keys)), _columns(rows))

    def remove(
        self, table: str, space_id: int, keys: Sequence[int], *, for_good: bool = False
    ) -> None:
        self._forget(table)
        name = syntax.Identifier(table).as_string(None)
        text = f"DELETE FROM {name} WHERE space_id = $1 AND key = ANY($2::bigint[])"
        self._pipeline.add(text.encode(), (space_id, list(keys)))

    def clear_words(self, space_id: int, keys: Sequence[int] | None = None) -> None:
        """Does nothing: what a row said goes with its pages, when they are written anew."""

    def bulk_figures(
        self, table: str, first: int, upto: int
    ) -> tuple[dict[str, NDArray[Any]], list[str]]:
        return bulk.figures(self.raw, table, first, upto)

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

    def frequency(self, word: str, *, most: float = 1.0) -> float:
        return text_search.frequency(self, word, most)

    def occurs(self, word: str) -> bool:
        return text_search.occurs(self, word)

    def add_vectors(self, space_id: int, model: int, rows: Iterable[VectorRow]) -> None:
        self._forget("vectors")
        self.added["vectors"] += nearest.add(self._pipeline, space_id, model, rows)

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


_NEW_KEYS = (
    "SELECT nextval(CAST(:name AS regclass)) FROM generate_series(1, CAST(:count AS bigint))"
)


def _newest_key(table: str) -> str:
    return f"SELECT max(key) FROM scoped_{table}"


_WRITTEN = re.compile(r"\b(?:INTO|UPDATE|DELETE FROM)\s+(\w+)")


@lru_cache(maxsize=2_000)
def written_by(sql: str) -> str | None:
    """Returns the table that a statement writes to; None if it only reads."""
    found = None if sql.startswith("SELECT") else _WRITTEN.search(sql)
    return None if found is None else found[1]


TypedColumns = tuple[tuple[str, str], ...]


@cache
def _insertion(table: str, columns: TypedColumns) -> bytes:
    return (
        f"INSERT INTO {_quoted(table)} ({', '.join(_quoted(name) for name, _ in columns)}) "
        f"SELECT * FROM unnest({_arrays(columns)})"
    ).encode()


@cache
def _change(table: str, columns: TypedColumns, keys: int) -> bytes:
    """Writes the change of rows that are found by the first so many of the columns."""
    named = [(_quoted(name), f"v.c{at}") for at, (name, _) in enumerate(columns)]
    same = " AND ".join(f"t.{name} = {value}" for name, value in named[:keys])
    sets = ", ".join(f"{name} = {value}" for name, value in named[keys:])
    given = ", ".join(f"c{at}" for at in range(len(columns)))
    return (
        f"UPDATE {_quoted(table)} t SET {sets} FROM unnest({_arrays(columns)}) AS v({given}) "
        f"WHERE {same}"
    ).encode()


def _arrays(columns: TypedColumns) -> str:
    return ", ".join(f"${at}::{kind}[]" for at, (_, kind) in enumerate(columns, start=1))


def _quoted(name: str) -> str:
    return syntax.Identifier(name).as_string(None)


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
                self._pool = ConnectionPool(
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
_BEGIN = {
    True: b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
    False: b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
}


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
