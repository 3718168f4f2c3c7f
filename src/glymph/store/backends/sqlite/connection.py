"""Connections to one SQLite file: pooled per process, their errors translated once."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import apsw

from glymph import errors
from glymph.store.backends.sqlite import checks, checksums, reclaim
from glymph.store.backends.sqlite.dialect import SQLITE, render_for_one
from glymph.store.backends.sqlite.text_index import TextIndex
from glymph.store.contract import Ask, Lookup, Row, Scored, VectorRow
from glymph.store.portable import BIRTH_ORDER
from glymph.store.statements import statements
from glymph.text.query import Words

BUSY_SECONDS = 30.0
LARGE_CACHE, SMALL_CACHE = 16_384, 2_048  # kilobytes of pages that a connection keeps
MOST_COLUMNS = 40  # of a row that is written together with others
CLOSE = 8  # words between two that were asked for together
INDEXED = "title, text, tags, entities, day"
WORDED = {"title", "text", "tags", "entities", "event_at"}  # what the text index reads
TOKENIZER = "tokenize = 'porter unicode61 remove_diacritics 2'"  # that of memory_text

# Errors after which a connection is as good as before.
_HARMLESS = (apsw.ConstraintError, apsw.BusyError)
_REFUSAL = re.compile(r"glymph:(\w+):(.*)", re.DOTALL)


@contextmanager
def translate_errors(path: str) -> Iterator[None]:
    """Turns the driver's errors into Glymph's, once, keeping the original as the cause."""
    try:
        yield
    except apsw.ConstraintError as error:
        raise _refusal(str(error)) from error
    except UnicodeEncodeError as error:
        raise errors.InvalidInput(
            "text", "holds half a surrogate pair, which no store keeps. Remove it."
        ) from error
    except apsw.BusyError as error:
        raise errors.StoreBusy(path, BUSY_SECONDS) from error
    except apsw.FullError as error:
        raise errors.StoreFull(path) from error
    except apsw.ReadOnlyError as error:
        raise errors.ReadOnlyStore(path) from error
    except apsw.NotADBError as error:
        raise errors.NotAStore(path) from error
    except checks.DAMAGED as error:
        raise errors.CorruptStore(path, str(error)) from error
    except apsw.SQLError as error:
        # Of a table that was made otherwise every statement may be wrong; else it is ours that is.
        if changed := checks.find_changed_schema(path):
            raise errors.CorruptStore(path, changed) from error
        raise
    except (apsw.CantOpenError, apsw.IOError, apsw.PermissionsError) as error:
        raise errors.StoreError(
            f"Cannot read or write {path} ({error}). Check the path, its owner and the disk."
        ) from error
    except apsw.Error as error:
        raise errors.StoreError(
            f"SQLite could not go on with {path} ({error}); nothing was written. Repeat the call; "
            "if it fails again, run `glymph doctor`."
        ) from error


def _refusal(message: str) -> errors.GlymphError:
    found = _REFUSAL.search(message)
    if found is None:
        return errors.Refused(f"The store refused the change ({message}); nothing was written.")
    kind: type[errors.GlymphError] = getattr(errors, found[1])
    return kind(found[2])


class Connection:
    """An open connection that shows the rows of one space at a time."""

    def __init__(self, path: str, *, read_only: bool, synchronous: str, large: bool = True) -> None:
        self.large = large
        self.raw = _connect(path, read_only=read_only)
        checksums.register(self.raw)
        run = self.raw.execute
        self.raw.setbusytimeout(int(BUSY_SECONDS * 1000))
        run("PRAGMA foreign_keys = ON")
        run("PRAGMA secure_delete = ON")
        run(f"PRAGMA synchronous = {synchronous}")
        run("PRAGMA temp_store = MEMORY")
        run(f"PRAGMA cache_size = -{LARGE_CACHE if large else SMALL_CACHE}")
        # Made here, outside any transaction: a rollback must not take them away.
        run("CREATE TEMP TABLE scope(space_id INTEGER)")
        run("INSERT INTO temp.scope VALUES (NULL)")
        for table in BIRTH_ORDER:
            run(
                f"CREATE TEMP VIEW scoped_{table} AS "
                f"SELECT * FROM main.{table} WHERE space_id = (SELECT space_id FROM temp.scope)"
            )
        self.text_index = TextIndex(self.raw)
        self._shown: int | None = None

    def close(self) -> None:
        self.raw.close()

    def show(self, space_id: int) -> None:
        """Limits the scoped views to one space.

        What was shown last is known, unless a rollback may have taken it back.
        """
        if space_id != self._shown:
            self.raw.execute("UPDATE temp.scope SET space_id = ?", (space_id,))
            self._shown = space_id

    @contextmanager
    def transaction(self, kind: str) -> Iterator[None]:
        """Begins, then commits, or rolls back if anything was raised; `kind` as in BEGIN."""
        self.raw.execute(f"BEGIN {kind}")
        try:
            yield
            self.raw.execute("COMMIT")
        except BaseException:
            self._shown = None
            # A full disk or an I/O error may have rolled back already.
            if self.raw.in_transaction:
                self.raw.execute("ROLLBACK")
            raise

    # Session

    def each(self, sql: str, parameters: Mapping[str, Any]) -> Iterator[Row]:
        names: list[str] = []
        cursor = self.raw.execute(*_as_asked(sql, parameters))
        for values in cursor:
            names = names or [column[0] for column in cursor.get_description()]
            yield dict(zip(names, values, strict=True))

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        cursor = self.raw.execute(*_as_asked(sql, parameters))
        values = cursor.fetchone()
        if values is None:
            return []
        names = [column[0] for column in cursor.get_description()]
        return [dict(zip(names, one, strict=True)) for one in (values, *cursor)]

    def tuples(self, sql: str, parameters: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        return self.raw.execute(*_as_asked(sql, parameters)).fetchall()

    def execute(self, sql: str, parameters: Mapping[str, Any]) -> int:
        self.raw.execute(*_as_asked(sql, parameters)).fetchall()
        return int(self.raw.changes())

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        self.raw.execute(*_as_asked(sql, parameters)).fetchall()

    def foresee(self, asks: Iterable[Ask]) -> None:
        """Does nothing: a file has no way to and fro."""

    def foreseen(self, lookup: Lookup) -> None:
        return None

    def recognise(self, foreseen: Lookup, as_: Lookup) -> None:
        """Does nothing, for nothing was foreseen."""

    def record(self, key: int, head: Mapping[str, Any]) -> None:
        return None  # what is in the journal lies at hand

    def new_key(self, table: str) -> int:
        return self.newest_key(table) + 1

    def new_keys(self, table: str, count: int) -> list[int]:
        first = self.new_key(table)
        return list(range(first, first + count))

    def newest_key(self, table: str) -> int:
        return self.raw.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).get or 0

    # One statement for many rows, which wait in a table in memory: FTS5 writes out what it gathered
    # whenever a statement begins, so a statement per row would cost a bulk insert half its time. To
    # hand them over as JSON cost as much as everything else about a row.

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
        into = f"INSERT INTO {table}({', '.join(columns)})"
        if len(rows) == 1:
            self.raw.execute(f"{into} VALUES ({', '.join('?' * len(columns))})", rows[0])
            return
        self._stage(rows)
        self.raw.execute(f"{into} SELECT {_staged(len(columns))} FROM temp.staged ORDER BY rowid")
        self.raw.execute("DELETE FROM temp.staged")

    def update(
        self, table: str, keys: Sequence[str], columns: Sequence[str],
        rows: Sequence[Sequence[Any]], *, for_good: bool = False,
    ) -> None:  # fmt: skip
        if (
            table != "memories"
            or WORDED.isdisjoint(columns)
            or (for_good and not self._left_words([row[keys.index("key")] for row in rows]))
        ):
            self._update(table, keys, columns, rows)
        else:
            with self._words_left_behind():
                self._update(table, keys, columns, rows)

    def _update(
        self, table: str, keys: Sequence[str], columns: Sequence[str], rows: Sequence[Sequence[Any]]
    ) -> None:
        if len(rows) == 1:
            first = len(keys) + 1
            sets = ", ".join(f"{column} = ?{at}" for at, column in enumerate(columns, first))
            found = " AND ".join(f"{key} = ?{at}" for at, key in enumerate(keys, 1))
            self.raw.execute(f"UPDATE {table} SET {sets} WHERE {found}", rows[0])
            return
        if not rows:
            return
        self._stage(rows)
        sets = ", ".join(f"{column} = v.c{at}" for at, column in enumerate(columns, len(keys)))
        found = " AND ".join(f"{table}.{key} = v.c{at}" for at, key in enumerate(keys))
        self.raw.execute(f"UPDATE {table} SET {sets} FROM temp.staged AS v WHERE {found}")
        self.raw.execute("DELETE FROM temp.staged")

    def _stage(self, rows: Sequence[Sequence[Any]]) -> None:
        """Puts rows of equally many values where one statement finds them all."""
        # A rollback takes the table away when it was made in that transaction; and a statement that
        # was refused leaves its rows behind.
        self.raw.execute(f"CREATE TEMP TABLE IF NOT EXISTS staged({_staged(MOST_COLUMNS)})")
        self.raw.execute("DELETE FROM temp.staged")
        width = len(rows[0])
        self.raw.executemany(
            f"INSERT INTO temp.staged({_staged(width)}) VALUES ({', '.join('?' * width)})", rows
        )

    def remove(
        self, table: str, space_id: int, keys: Sequence[int], *, for_good: bool = False
    ) -> None:
        careful = table != "memories" or (for_good and not self._left_words(keys))
        left = nullcontext() if careful else self._words_left_behind()
        with left:
            self.raw.execute(
                f"DELETE FROM {table} "
                "WHERE space_id = ? AND key IN (SELECT value FROM json_each(?))",
                (space_id, json.dumps(list(keys))),
            )

    @contextmanager
    def _words_left_behind(self) -> Iterator[None]:
        """Does without FTS5's secure-delete, which rewrites a page of every segment for each word.

        A trigger notes whose words are left in the pages of the index; see `clear_words`.
        """
        self._set_secure_delete(0)
        try:
            yield
        finally:
            if self.raw.in_transaction:  # a full disk may have rolled back already
                self._set_secure_delete(1)

    def _set_secure_delete(self, on: int) -> None:
        self.raw.execute(
            "INSERT INTO memory_text(memory_text, rank) VALUES ('secure-delete', ?)", (on,)
        )

    def _left_words(self, keys: Sequence[int]) -> bool:
        """Tells whether some memories left words in the index: `clear_words` has to take them out.

        FTS5's secure-delete would take out only the newest of what it holds of a row and a word: an
        older one, which a change without it had left below, would be found again.
        """
        some = "SELECT 1 FROM leftover_words WHERE memory IN (SELECT value FROM json_each(?))"
        return bool(self.raw.execute(f"{some} LIMIT 1", (json.dumps(list(keys)),)).get)

    def clear_words(self, space_id: int, keys: Sequence[int] | None = None) -> None:
        some = "" if keys is None else " AND memory IN (SELECT value FROM json_each(?2))"
        sql = f"SELECT 1 FROM leftover_words WHERE space_id = ?1{some} LIMIT 1"
        given = (space_id,) if keys is None else (space_id, json.dumps(list(keys)))
        if self.raw.execute(sql, given).get:
            reclaim.merge_text_index(self.raw)

    def bulk_figures(self, table: str, first: int, upto: int) -> None:
        return None

    def repeat(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        self.raw.executemany(SQLITE.render(sql), rows)

    def match(self, words: Words, where: str, parameters: Mapping[str, Any], limit: int) -> Scored:
        sql = (
            "SELECT f.rowid, -f.rank FROM memory_text f JOIN scoped_memories m ON m.key = f.rowid "
            f"WHERE f.memory_text MATCH :match AND {where} ORDER BY f.rank LIMIT :limit"
        )
        return self._best(sql, {**parameters, "match": _any_of(words), "limit": limit})

    def hold(
        self, phrases: Sequence[str], where: str, parameters: Mapping[str, Any], limit: int
    ) -> list[int]:
        asked = self._drop_absent(phrases)
        if not asked:
            return []
        sql = (
            "SELECT f.rowid FROM memory_text f JOIN scoped_memories m ON m.key = f.rowid "
            f"WHERE f.memory_text MATCH :match AND {where} ORDER BY f.rowid LIMIT :limit"
        )
        match = " OR ".join(map(_quote, asked))
        return [key for (key,) in self.tuples(sql, {**parameters, "match": match, "limit": limit})]

    def _drop_absent(self, phrases: Sequence[str]) -> list[str]:
        """Leaves out phrases with a word that no text has.

        The index would look every word up once for each phrase that has it.
        """
        parts = {part for phrase in phrases for part in phrase.split()}
        sql = "SELECT 1 FROM memory_text WHERE memory_text MATCH :match LIMIT 1"
        absent = {part for part in parts if not self.tuples(sql, {"match": _quote(part)})}
        return [one for one in phrases if absent.isdisjoint(one.split())]

    def _best(self, sql: str, parameters: Mapping[str, Any]) -> Scored:
        """Keys and scores, best first; of equal ones the oldest."""
        return sorted(self.tuples(sql, parameters), key=lambda pair: (-pair[1], pair[0]))

    def match_among(self, rows: Iterable[Mapping[str, Any]], words: Words, limit: int) -> Scored:
        self.raw.execute(
            f"CREATE VIRTUAL TABLE temp.passing_text USING fts5({INDEXED}, {TOKENIZER})"
        )
        try:
            self.raw.executemany(
                f"INSERT INTO temp.passing_text(rowid, {INDEXED}) "
                "VALUES (:key, :title, :text, :tags, :entities, :day)",
                rows,
            )
            sql = (
                "SELECT rowid, -rank FROM temp.passing_text WHERE passing_text MATCH :match "
                "ORDER BY rank LIMIT :limit"
            )
            return self._best(sql, {"match": _any_of(words), "limit": limit})
        finally:
            self.raw.execute("DROP TABLE temp.passing_text")

    def frequency(self, word: str, *, most: float = 1.0) -> float:
        if self.raw.execute("SELECT count(*) FROM spaces").get == 1:
            texts, joined = self.raw.execute("SELECT max(key) FROM memories").get or 0, ""
        else:
            texts = self.raw.execute("SELECT count(*) FROM scoped_memories").get
            joined = "JOIN scoped_memories m ON m.key = f.rowid "
        held = f"SELECT 1 FROM memory_text f {joined}WHERE f.memory_text MATCH :match LIMIT :most"
        asked = {"match": _quote(word), "most": int(most * texts) + 1}
        holding = self.tuples(f"SELECT count(*) FROM ({held})", asked)[0][0]
        return float(holding / max(texts, 1))

    def occurs(self, word: str) -> bool:
        sql = (
            "SELECT 1 FROM memory_text f JOIN scoped_memories m ON m.key = f.rowid "
            "WHERE f.memory_text MATCH :match LIMIT 1"
        )
        return bool(self.tuples(sql, {"match": _quote(word)}))

    def add_vectors(self, space_id: int, model: int, rows: Iterable[VectorRow]) -> None:
        common = {"space_id": space_id, "model": model}
        given = [
            {**common, "memory": memory, "wording": wording, "vector": vector}
            for memory, wording, vector in rows
        ]
        self.repeat(statements()["insert_vector"], given)

    # A mirror in memory compares vectors faster than any extension of SQLite.

    def nearest(self, *_: Any, **__: Any) -> None:
        return None

    def embedded_keys(self, *_: Any, **__: Any) -> None:
        return None


def _as_asked(sql: str, parameters: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Returns the statement and its parameters as SQLite takes them."""
    # Most statements take no list; this runs for every one of them.
    if list not in map(type, parameters.values()):
        return SQLITE.render(sql), parameters
    given = dict(parameters)
    lists = {name: value for name, value in parameters.items() if type(value) is list}
    statement, single = render_for_one(
        sql, tuple(name for name, value in lists.items() if len(value) == 1)
    )
    for name, value in lists.items():
        given[name] = value[0] if name in single else json.dumps(value)
    return statement, given


def _any_of(words: Words) -> str:
    """Writes a query for any of the words.

    Two that follow one another in the query count once more where they stand close.
    """
    near = (f"NEAR({_quote(one)} {_quote(other)}, {CLOSE})" for one, other in words.pairs)
    return " OR ".join([*map(_quote, words.words), *near])


def _quote(word: str) -> str:
    """Returns the word as a phrase of the index's query language, whatever it holds."""
    return '"' + word.replace('"', '""') + '"'


def _staged(count: int) -> str:
    return ", ".join(f"c{number}" for number in range(count))


def _connect(path: str, *, read_only: bool) -> apsw.Connection:
    if not read_only:
        return apsw.Connection(path)
    try:
        connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
        return connection
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        # A folder nobody may write to has no room for the shared-memory file. With no write-ahead
        # log left behind, the main file alone is the whole truth.
        if Path(f"{path}-wal").exists():
            raise
        uri = f"{Path(path).absolute().as_uri()}?immutable=1"
        return apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


class Pool:
    """Idle connections of this process. A connection serves one thread at a time.

    The first one keeps many pages, for whoever writes; the others few, for each keeps its own: they
    were half of what a server grew by where sixteen clients searched, who found no less without.
    """

    def __init__(self, path: str, *, read_only: bool, synchronous: str) -> None:
        self._path = path
        self._read_only = read_only
        self._synchronous = synchronous
        self._lock = threading.Lock()
        self._idle: list[Connection] = []  # the one that keeps many pages is first
        self._has_large = False
        self._left_behind: list[Connection] = []
        self._process = os.getpid()
        self._closed = False

    @contextmanager
    def connection(self, *, writes: bool = False) -> Iterator[Connection]:
        connection = self._take(writes=writes)
        reliable = True
        try:
            yield connection
        except apsw.Error as error:
            # After a read that failed, FTS5 goes on with half of what it knew of its index: the
            # next write through this connection would damage it, unnoticed.
            reliable = isinstance(error, _HARMLESS)
            raise
        finally:
            if reliable:
                self._give_back(connection)
            else:
                self._close(connection, at_once=True)

    def _take(self, *, writes: bool) -> Connection:
        with self._lock:
            if self._closed:
                raise errors.StoreError(
                    f"This handle on {self._path} is closed. Open it again with Glymph.open()."
                )
            if self._process != os.getpid():
                # SQLite connections must not cross a fork: leave the parent's alone, unclosed.
                self._left_behind, self._idle, self._process = self._idle, [], os.getpid()
                self._has_large = False
            if self._idle:
                return self._idle.pop(0 if writes else -1)
        connection = self.connect(large=not self._has_large)
        self._has_large = True
        return connection

    def _give_back(self, connection: Connection) -> None:
        with self._lock:
            if not self._closed:
                self._idle.insert(0 if connection.large else len(self._idle), connection)
                return
        self._close(connection)

    def _close(self, connection: Connection, *, at_once: bool = False) -> None:
        with self._lock:
            self._has_large = self._has_large and not connection.large
        connection.raw.close(at_once)

    def connect(self, *, large: bool = False) -> Connection:
        """Opens a connection outside the pool: the caller's to close."""
        return Connection(
            self._path, read_only=self._read_only, synchronous=self._synchronous, large=large
        )

    def close(self) -> None:
        """Closes idle connections now and those in use when they come back."""
        with self._lock:
            self._closed = True
            for connection in self._idle:
                connection.raw.close()
            self._idle.clear()
