"""A PostgreSQL schema as the database of a store: connections and checks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

import psycopg

from glymph import errors
from glymph.config import Settings
from glymph.model import Problem
from glymph.store.backends.postgresql import checks, migrations, reclaim
from glymph.store.backends.postgresql.asks import sequence
from glymph.store.backends.postgresql.connection import Connection
from glymph.store.backends.postgresql.keys import DatabaseKeyring
from glymph.store.backends.postgresql.pool import Pool, types_of
from glymph.store.backends.postgresql.translation import translate_errors
from glymph.store.contract import Ask, ColumnTypes, Session, Settled, SpaceKey
from glymph.store.keyring import Keyring
from glymph.store.portable import BIRTH_ORDER
from glymph.store.spaces import now_for_the_record

DELETE_CHUNK = 5000
# Without a word from a writer, after which the server takes its transaction back.
ASLEEP_SECONDS = 60
_TYPES: Mapping[str, tuple[type, ...]] = {
    "bigint": (int,), "double precision": (float, int), "text": (str,), "bytea": (bytes,),
}  # fmt: skip


class PostgresDatabase:
    """One schema of one database, any number of spaces, any number of machines."""

    def __init__(self, url: str, settings: Settings, *, create: bool = True) -> None:
        conninfo, options = _taken_apart(url)
        self._url = url
        self._name = name_server(url)
        self._read_only = options.get("mode") == "ro"
        synchronous = "on" if settings.durability == "full" else "off"
        self._pool = Pool(
            conninfo, name=self._name, read_only=self._read_only, synchronous=synchronous
        )
        self._keys = Path(options["keys"]).expanduser() if "keys" in options else None
        self._prepare(create)

    def _prepare(self, create: bool) -> None:
        """Makes the schema in an empty database, or upgrades an older one."""
        with translate_errors(self._name), closing(self._pool.connect()) as connection:
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
            migrations.migrate(connection, self._name, now_for_the_record())

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

    # transactions

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with translate_errors(self._name), self._pool.transaction(writes=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        if self._read_only:
            raise errors.ReadOnlyStore(self._name)
        with translate_errors(self._name), self._pool.transaction(writes=True) as connection:
            yield connection

    def look_into(self, session: Session, space: str) -> SpaceKey:
        assert isinstance(session, Connection)
        # With the first statement, in its round trip.
        sql = (
            "SELECT key, set_config('glymph.space', CAST(key AS text), true), "
            "set_config('idle_in_transaction_session_timeout', '0', true) "
            "FROM spaces WHERE name = :name"
        )
        entered = session.enter(space, sql, {"name": space})

        def key() -> int:
            session.settle()
            return int(entered.tuples()[0][0])

        return cache(key)

    def enter(
        self, session: Session, space: str, *, ahead: Sequence[Ask] = ()
    ) -> tuple[int, str] | None:
        # In one round trip. Writers of one space wait for one another here, so operations appear in
        # the order of their keys; who holds the lock and falls asleep loses it. What is asked ahead
        # is asked in statements of its own, each of which sees what the one before us has done.
        sql = (
            "SELECT key, offsets, set_config('glymph.space', CAST(key AS text), true), "
            f"set_config('idle_in_transaction_session_timeout', '{ASLEEP_SECONDS}s', true) "
            "FROM spaces WHERE name = :name FOR NO KEY UPDATE"
        )
        assert isinstance(session, Connection)
        for _ in range(2):
            # Asked again: another space may have taken the name while we waited for the lock of the
            # one that had it.
            found = session.ask_first(sql, {"name": space}, ahead)
            if found:
                return found[0][0], found[0][1]
        return None

    def hold(self, session: Session, space_id: int, name: str) -> None:
        sql = "SELECT key FROM spaces WHERE key = :key AND name = :name FOR NO KEY UPDATE"
        if not session.tuples(sql, {"key": space_id, "name": name}):
            raise errors.SpaceNotFound(name)  # renamed or removed while we waited
        session.show(space_id)

    # whole spaces

    def reserve_keys(self, session: Session, table: str, count: int) -> int:
        # Keys are unique in a space only, so rows keep theirs; later ones must lie above.
        # Others take keys meanwhile, so the sequence is only ever drawn from, never set.
        name = sequence(table)
        session.tuples(
            f"SELECT max(nextval(CAST(:name AS regclass))) "
            f"FROM generate_series((SELECT last_value FROM {name}), CAST(:count AS bigint))",
            {"name": name, "count": count},
        )
        return 0

    def batch_size(self, table: str) -> int:
        return DELETE_CHUNK

    def order_hint(self, rows: int) -> str:
        return ""

    def column_types(self) -> ColumnTypes:
        with translate_errors(self._name), closing(self._pool.connect()) as connection:
            found = types_of(connection)
            needed = connection.execute(
                "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = "
                "a.attrelid "
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
            f"{self._name} is a server and no file. "
            "Use `glymph store migrate` into a new SQLite file, or pg_dump."
        )

    def compact(self) -> None:
        with self._own_connection() as connection:
            reclaim.rewrite(connection)

    def size(self) -> int:
        with translate_errors(self._name), closing(self._pool.connect()) as connection:
            return reclaim.size(connection)

    def settle(self, *, rewrite: bool) -> Settled:
        with self._own_connection() as connection:
            return reclaim.settle(connection, rewrite_=rewrite)

    def check(self) -> list[Problem]:
        with self.reading() as session:
            bound = bool(session.tuples("SELECT row_security_active('memories')", {})[0][0])
        with translate_errors(self._name), closing(self._pool.connect()) as connection:
            return checks.run(connection, bound=bound)

    @contextmanager
    def _own_connection(self) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
        """Opens a connection as the owner of the tables, outside any transaction."""
        if self._read_only:
            raise errors.ReadOnlyStore(self._name)
        with translate_errors(self._name), closing(self._pool.connect()) as connection:
            yield connection

    def close(self) -> None:
        self._pool.close()


_FORM = (
    "Write postgresql://user:password@host:5432/database, special characters of the password "
    "as %XX."
)


def name_server(url: str) -> str:
    """Returns the server and the database of a URL, without who connects and the password."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2] or "the local server"
    return f"{place}{parts.path}"


def _taken_apart(url: str) -> tuple[str, dict[str, str]]:
    """Returns the URL for libpq, and what in it is for Glymph.

    No error quotes it: a part may be the password's.
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
