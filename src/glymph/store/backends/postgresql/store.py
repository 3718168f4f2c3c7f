"""The PostgreSQL store: the database, transactions, checks. What it does with whole spaces is
`SqlSpaces`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg

from glymph import errors
from glymph.config import Settings
from glymph.model import Problem
from glymph.store.backends.postgresql import checks, migrations, settling
from glymph.store.backends.postgresql.connection import (
    Connection,
    Pool,
    sequence,
    translated,
    types_of,
)
from glymph.store.backends.postgresql.keys import DatabaseKeyring
from glymph.store.backends.postgresql.nearest import NearestOnServer
from glymph.store.backends.postgresql.writer import PostgresWriter
from glymph.store.contract import Settled
from glymph.store.keyring import Keyring
from glymph.store.portable import BIRTH_ORDER, Columns
from glymph.store.reader import SqlReader
from glymph.store.snapshots import SpaceSession, key_offsets
from glymph.store.spaces import SqlSpaces

DELETE_CHUNK = 5000
ASLEEP_SECONDS = (
    60  # without a word from a writer, after which the server takes its transaction back
)
_TYPES: Mapping[str, tuple[type, ...]] = {
    "bigint": (int,), "double precision": (float, int), "text": (str,), "bytea": (bytes,),
}  # fmt: skip


class PostgresStore(SqlSpaces):
    """One schema of one database, any number of spaces, any number of machines."""

    def __init__(self, url: str, settings: Settings, *, create: bool = True) -> None:
        conninfo, options = _taken_apart(url)
        self._url = url
        self._name = named(url)
        self._read_only = options.get("mode") == "ro"
        synchronous = "on" if settings.durability == "full" else "off"
        self._pool = Pool(
            conninfo, name=self._name, read_only=self._read_only, synchronous=synchronous
        )
        self._keys = Path(options["keys"]).expanduser() if "keys" in options else None
        self._prepare(create)

    def _prepare(self, create: bool) -> None:
        """Makes the schema in an empty database, upgrades an older one, and leaves a current one
        untouched.
        """
        with translated(self._name), closing(self._pool.connect()) as connection:
            found = migrations.schema_version(connection, self._name)
            if found == migrations.NEWEST:
                migrations.admit(connection)
                return
            if not found and (self._read_only or not create):
                raise errors.StoreMissing(f"in {self._name}")
            if self._read_only:
                raise errors.StoreError(
                    f"{self._name} has schema {found} and is read-only here. "
                    "Open it once with write access to upgrade it."
                )
            migrations.migrate(connection, self._name, self._now())

    @property
    def url(self) -> str:
        return self._url

    @property
    def writable(self) -> bool:
        return not self._read_only

    @property
    def in_one_file(self) -> bool:
        return False

    @property
    def keyring(self) -> Keyring:
        return (
            DatabaseKeyring(self._pool, self._name) if self._keys is None else Keyring(self._keys)
        )

    def parts(self) -> list[str]:
        return [self.url]

    # transactions

    def _reader(self, session: SpaceSession, space: str, space_id: int) -> SqlReader:
        return NearestOnServer(session, space, space_id)

    def _writer(
        self, session: SpaceSession, space: str, space_id: int, offsets: Mapping[str, int]
    ) -> PostgresWriter:
        return PostgresWriter(cast(Connection, session), space, space_id, offsets)

    def _entered(
        self, session: SpaceSession, space: str, *, writes: bool
    ) -> tuple[int, dict[str, int]]:
        # In one round trip. Writers of one space wait for one another here, so operations appear in
        # the order of
        # their keys; who holds the lock and falls asleep loses it.
        sql = (
            "SELECT key, offsets, set_config('glymph.space', CAST(key AS text), true), "
            "set_config('idle_in_transaction_session_timeout', :patience, true) "
            f"FROM spaces WHERE name = :name{' FOR NO KEY UPDATE' if writes else ''}"
        )
        asked = {"name": space, "patience": f"{ASLEEP_SECONDS}s" if writes else "0"}
        # Asked again: another space may have taken the name while we waited for the lock of the one
        # that had it.
        found = session.rows(sql, asked) or (session.rows(sql, asked) if writes else [])
        if not found:
            raise errors.SpaceNotFound(space)
        return found[0]["key"], key_offsets(json.loads(found[0]["offsets"]))

    @contextmanager
    def _writing_connection(self) -> Iterator[Connection]:
        if self._read_only:
            raise errors.ReadOnlyStore(self._name)
        with translated(self._name), self._pool.transaction(writes=True) as connection:
            yield connection

    # whole spaces: see SqlSpaces

    @contextmanager
    def _reading_connection(self) -> Iterator[Connection]:
        with translated(self._name), self._pool.transaction(writes=False) as connection:
            yield connection

    def _reserve(self, session: SpaceSession, space_id: int, table: str, count: int) -> int:
        # Keys are unique in a space only, so rows keep theirs; later ones must lie above.
        # Others take keys meanwhile, so the sequence is only ever drawn from, never set.
        name = sequence(table)
        session.tuples(
            f"SELECT max(nextval(CAST(:name AS regclass))) "
            f"FROM generate_series((SELECT last_value FROM {name}), CAST(:count AS bigint))",
            {"name": name, "count": count},
        )
        return 0

    def _removed_at_once(self, table: str) -> int:
        return DELETE_CHUNK

    def _now(self) -> int:
        return time.time_ns() // 1000

    def _hold(self, session: SpaceSession, space_id: int, name: str) -> None:
        sql = "SELECT key FROM spaces WHERE key = :key AND name = :name FOR NO KEY UPDATE"
        if not session.tuples(sql, {"key": space_id, "name": name}):
            raise errors.SpaceNotFound(name)  # renamed or removed while we waited
        session.show(space_id)

    def columns(self) -> Columns:
        with translated(self._name), closing(self._pool.connect()) as connection:
            found = types_of(connection)
            needed = connection.execute(
                "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
                "WHERE c.relnamespace = 'glymph'::regnamespace AND a.attnotnull AND a.attnum > 0"
            ).fetchall()
        required = set(needed)
        return {
            table: {
                column: _TYPES[kind] if (table, column) in required else (*_TYPES[kind], type(None))
                for column, kind in found[table].items()
                if column != "space_id" and (table, column) != ("journal", "id")
            }
            for table in BIRTH_ORDER
        }

    # the database

    def backup(self, path: str) -> None:
        raise errors.Refused(
            f"{self._name} is a server and no file. Use `glymph migrate` into a new SQLite file, or pg_dump."
        )

    def compact(self) -> None:
        with self._alone() as connection:
            settling.rewrite(connection)

    def size(self) -> int:
        with translated(self._name), closing(self._pool.connect()) as connection:
            return settling.size(connection)

    def settle(self, *, rewrite: bool) -> Settled:
        with self._alone() as connection:
            return settling.settle(connection, rewrite_=rewrite)

    def check(self) -> list[Problem]:
        with self._reading_connection() as session:
            bound = bool(session.tuples("SELECT row_security_active('memories')", {})[0][0])
        with translated(self._name), closing(self._pool.connect()) as connection:
            return checks.run(connection, bound=bound)

    @contextmanager
    def _alone(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """A connection as the owner of the tables, outside any transaction."""
        if self._read_only:
            raise errors.ReadOnlyStore(self._name)
        with translated(self._name), closing(self._pool.connect()) as connection:
            yield connection

    def close(self) -> None:
        self._pool.close()


_FORM = "Write postgresql://user:password@host:5432/database, special characters of the password as %XX."


def named(url: str) -> str:
    """The server and the database of a URL, without who connects and by which password."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2] or "the local server"
    return f"{place}{parts.path}"


def _taken_apart(url: str) -> tuple[str, dict[str, str]]:
    """The URL for libpq, and what in it is for Glymph. No error quotes it: a part may be the
    password's.
    """
    try:
        parts = urlsplit(url)
        odd = "@" in parts.path or "#" in url or parts.netloc.count("@") > 1
    except ValueError:
        odd = True
    if odd:
        raise errors.InvalidInput("url", f"this is no URL of a database. {_FORM}") from None
    given = parse_qsl(parts.query, keep_blank_values=True)
    own = {name: value for name, value in given if name in ("mode", "keys")}
    if own.get("mode", "rw") not in ("rw", "ro"):
        raise errors.InvalidInput(
            "url", f"mode={own['mode']} is not known. Only ?mode=ro and ?mode=rw exist."
        )
    if own.get("keys") == "":
        raise errors.InvalidInput(
            "url", "keys= names no folder. Write ?keys=/path/to/keys or leave it out."
        )
    rest = urlencode([pair for pair in given if pair[0] not in own], quote_via=quote)
    conninfo = urlunsplit(parts._replace(query=rest))
    try:
        psycopg.conninfo.conninfo_to_dict(conninfo)
    except psycopg.ProgrammingError:
        raise errors.InvalidInput(
            "url", f"this is no URL of a database, or has unknown options. {_FORM}"
        ) from None
    return conninfo, own
