"""A SQLite file as the database of a store: connections, backup, checks."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import apsw

from glymph import errors, folders
from glymph.config import Settings
from glymph.model import Problem
from glymph.store.backends.sqlite import checks, migrations, reclaim
from glymph.store.backends.sqlite.connection import Connection, Pool, translate_errors
from glymph.store.contract import Ask, ColumnTypes, Session, Settled
from glymph.store.keyring import Keyring
from glymph.store.portable import BIRTH_ORDER, write_whole
from glymph.store.private_folder import remove_left_over
from glymph.store.spaces import now_for_the_record

log = logging.getLogger("glymph.store")

LARGE_LOG = 64 << 20  # bytes of the write-ahead log from which on it is emptied by force
DELETE_CHUNK = 5000
MEMORIES_CHUNK = 250  # erasing one memory from the text index takes a millisecond
SORTED_AT_MOST = 20_000  # rows

_TYPES: Mapping[str, tuple[type, ...]] = {
    "INTEGER": (int,), "REAL": (float, int), "TEXT": (str,), "BLOB": (bytes,),
}  # fmt: skip


class SqliteDatabase:
    """One file, any number of spaces."""

    def __init__(
        self, path: str, settings: Settings, *, read_only: bool = False, create: bool = True
    ) -> None:
        self.path = str(Path(path).expanduser())
        self._mode = "?mode=ro" if read_only else ""
        exists = Path(self.path).exists()
        self._read_only = read_only or (exists and not os.access(self.path, os.W_OK))
        if self._read_only and not exists:
            raise errors.StoreError(
                f"There is no file {self.path} to read. Leave out mode=ro to create it."
            )
        if not create and not exists:
            raise errors.StoreMissing(self.path)
        self._pool = Pool(
            self.path, read_only=self._read_only, synchronous=settings.durability.upper()
        )
        self._log_left = 0  # bytes of the log that could not be emptied when it was last tried
        self._prepare(exists)
        self._file = _identify(self.path)
        with translate_errors(self.path), self._pool.connection() as connection:
            self._schema = int(connection.raw.pragma("user_version"))

    def _prepare(self, exists: bool) -> None:
        """Creates a missing file, upgrades an older one, and leaves a current one untouched.

        Removes what a killed restore has left beside it.
        """
        if not self._read_only:
            remove_left_over(Path(self.path).parent)
        if not exists:
            try:
                folders.make_folder(Path(self.path).parent)
                _create_private(self.path)
            except OSError as error:
                raise errors.StoreError(
                    f"Cannot create {self.path} ({error}). Check the path and its owner."
                ) from error
        with translate_errors(self.path), self._pool.connection() as connection:
            if self._read_only:
                found = migrations.schema_version(connection.raw, self.path, migrations.NEWEST)
                if found < migrations.NEWEST:
                    raise errors.StoreError(
                        f"{self.path} has schema {found} and is read-only here. "
                        "Open it once with write access to upgrade it."
                    )
            else:
                migrations.migrate(connection.raw, self.path, now_for_the_record())

    @property
    def url(self) -> str:
        return f"sqlite:///{quote(self.path)}{self._mode}"

    @property
    def writable(self) -> bool:
        return not self._read_only

    @property
    def in_one_file(self) -> bool:
        return True

    @property
    def keyring(self) -> Keyring:
        return _keyring_beside(self.path)

    # transactions

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with (
            translate_errors(self.path),
            self._pool.connection() as connection,
            connection.transaction("DEFERRED"),
        ):
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        if self._read_only:
            raise errors.ReadOnlyStore(self.path)
        with (
            translate_errors(self.path),
            self._pool.connection(writes=True) as connection,
            connection.transaction("IMMEDIATE"),
        ):
            self._check_beneath(connection)
            yield connection
        self._bound_log()

    def _bound_log(self) -> None:
        """Empties a large write-ahead log.

        SQLite begins it anew only at a moment when nobody reads from it. Where somebody always
        does, it would grow for ever: then readers and writers are made to wait a little.
        """
        size = _measure(f"{self.path}-wal")
        if size < LARGE_LOG + self._log_left:
            return
        try:
            with self._own_connection() as raw:
                emptied = reclaim.try_empty_log(raw)
        except errors.StoreError as error:  # what was written is committed; the next write tries
            log.warning("the log of %s could not be emptied: %s", self.path, error)
            emptied = False
        # A reader that stays keeps it from being emptied: it is tried again when it has grown.
        self._log_left = 0 if emptied else size

    def _check_beneath(self, connection: Connection) -> None:
        """Refuses to write into what is the store no longer, or was changed by a newer version.

        SQLite would go on writing into a file that was moved or deleted, where nobody finds it.
        """
        if _identify(self.path) != self._file:
            raise errors.StoreMoved(self.path)
        found = int(connection.raw.execute("PRAGMA user_version").get)
        if found > self._schema:
            raise errors.NewerSchema(self.path, found, self._schema)

    def look_into(self, session: Session, space: str) -> int:
        found = self.enter(session, space)
        if found is None:
            raise errors.SpaceNotFound(space)
        return found[0]

    def enter(
        self, session: Session, space: str, *, ahead: Sequence[Ask] = ()
    ) -> tuple[int, str] | None:
        # Who writes holds the lock of the whole file.
        sql = "SELECT key, offsets FROM spaces WHERE name = :name"
        found = session.tuples(sql, {"name": space})
        if not found:
            return None
        session.show(found[0][0])
        return found[0][0], found[0][1]

    def hold(self, session: Session, space_id: int, name: str) -> None:
        session.show(space_id)  # a transaction that may write has the whole file to itself

    # whole spaces

    def reserve_keys(self, session: Session, table: str, count: int) -> int:
        """Sets aside the next keys of a table, so that writers meanwhile take others."""
        parameters = {"name": table, "count": count}
        found = session.tuples("SELECT seq FROM sqlite_sequence WHERE name = :name", parameters)
        if found:
            sql = "UPDATE sqlite_sequence SET seq = seq + :count WHERE name = :name"
        else:
            sql = "INSERT INTO sqlite_sequence(name, seq) VALUES (:name, :count)"
        session.execute(sql, parameters)
        return int(found[0][0]) if found else 0

    def batch_size(self, table: str) -> int:
        return MEMORIES_CHUNK if table == "memories" else DELETE_CHUNK

    def order_hint(self, rows: int) -> str:
        # By an index on the space the rows would have to be sorted, in memory; in the order of keys
        # those of other spaces are read, too.
        return " NOT INDEXED" if rows > SORTED_AT_MOST else ""

    def column_types(self) -> ColumnTypes:
        with translate_errors(self.path), self._pool.connection() as connection:
            return {table: _column_types(connection, table) for table in BIRTH_ORDER}

    # the file

    def backup(self, path: str) -> None:
        target = str(Path(path).expanduser())
        with (
            translate_errors(self.path),
            self._pool.connection() as connection,
            write_whole(target, "a backup") as partial,
            translate_errors(target),
        ):
            copy = apsw.Connection(str(partial))
            try:
                with copy.backup("main", connection.raw, "main") as running:
                    running.step()
                copy.execute("PRAGMA journal_mode = DELETE").fetchall()
            except apsw.CorruptError as error:  # it is not the new file that is damaged
                raise errors.CorruptStore(self.path, str(error)) from error
            finally:
                copy.close()
            # After the rows: a tombstone among them is no older than its key. Before the file has
            # its name, too.
            self.keyring.copy_to(_keyring_beside(target))

    def compact(self) -> None:
        with self._own_connection() as connection:
            reclaim.rewrite(connection)

    def size(self) -> int:
        with translate_errors(self.path), self._pool.connection() as connection:
            return reclaim.size(connection.raw)

    def settle(self, *, rewrite: bool) -> Settled:
        with self._own_connection() as connection:
            return reclaim.settle(connection, rewrite=rewrite)

    def check(self) -> list[Problem]:
        # A connection of its own: FTS5 checks itself against what it remembers, and in a pooled
        # connection that may be older than what another process has written since (a false alarm,
        # seen with SQLite 3.54).
        with translate_errors(self.path), closing(self._pool.connect()) as connection:
            return checks.run(connection.raw)

    @contextmanager
    def _own_connection(self) -> Iterator[apsw.Connection]:
        """Opens a connection outside the pool, for it is told how long to wait for others."""
        if self._read_only:
            raise errors.ReadOnlyStore(self.path)
        with translate_errors(self.path), closing(self._pool.connect()) as connection:
            yield connection.raw

    def close(self) -> None:
        self._pool.close()


def _column_types(connection: Connection, table: str) -> dict[str, tuple[type, ...]]:
    own = {"space_id", "id"} if table == "journal" else {"space_id"}
    return {
        name: _TYPES[kind] if required or key else (*_TYPES[kind], type(None))
        for _, name, kind, required, _, key in connection.raw.execute(f"PRAGMA table_info({table})")
        if name not in own
    }


def _keyring_beside(path: str) -> Keyring:
    """Returns the keys of the store in a file: a folder beside it."""
    return Keyring(Path(f"{path}.keys"))


def _identify(path: str) -> tuple[int, int] | None:
    """Returns what tells a file from any other, whatever it is called; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116  # each write asks for it
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _measure(path: str) -> int:
    """Returns the bytes of a file; 0 if there is none."""
    try:
        return os.stat(path).st_size  # noqa: PTH116  # each write asks for it
    except OSError:
        return 0


def _create_private(path: str) -> None:
    """Makes an empty file that only its owner may read."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, folders.FILE))
