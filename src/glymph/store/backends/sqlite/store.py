"""The SQLite store: spaces, transactions, dump and load, backup, checks."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from glymph import errors
from glymph.config import Settings
from glymph.core.model import Problem
from glymph.store.backends.sqlite import checks, loading, migrations, settling
from glymph.store.backends.sqlite.connection import Connection, Pool, translated
from glymph.store.contract import Intent, IntentOrMaker, Settled
from glymph.store.fenced import held_under
from glymph.store.keyring import Keyring
from glymph.store.portable import BIRTH_ORDER, Columns, appearing, moved
from glymph.store.reader import SqlReader
from glymph.store.statements import statements
from glymph.store.writer import SqlWriter

DELETE_CHUNK = 5000
MEMORIES_CHUNK = 250  # erasing one memory from the text index takes a millisecond

# Names nobody can open: spaces that are being loaded or deleted, or were when a process was killed.
HIDDEN = "("
LEFTOVER_AFTER = 3_600_000_000  # microseconds without a sign of life


class SqliteStore:
    """One file, any number of spaces."""

    def __init__(self, path: str, settings: Settings, *, read_only: bool = False, create: bool = True) -> None:
        self.path = str(Path(path).expanduser())
        self._mode = "?mode=ro" if read_only else ""
        exists = Path(self.path).exists()
        self._read_only = read_only or (exists and not os.access(self.path, os.W_OK))
        if self._read_only and not exists:
            raise errors.StoreError(f"There is no file {self.path} to read. Leave out mode=ro to create it.")
        if not create and not exists:
            raise errors.StoreError(
                f"There is no store {self.path}. Check the path, or make it with `glymph init`."
            )
        self._pool = Pool(self.path, read_only=self._read_only, synchronous=settings.durability.upper())
        self._prepare(exists)

    def _prepare(self, exists: bool) -> None:
        """Creates a missing file, upgrades an older one, and leaves a current one untouched."""
        if not exists:
            try:
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
                _create_private(self.path)
            except OSError as error:
                raise errors.StoreError(
                    f"Cannot create {self.path} ({error}). Check the path and its owner."
                ) from error
        with translated(self.path), self._pool.connection() as connection:
            if self._read_only:
                found = migrations.schema_version(connection.raw, self.path, migrations.NEWEST)
                if found < migrations.NEWEST:
                    raise errors.StoreError(
                        f"{self.path} has schema {found} and is read-only here. "
                        "Open it once with write access to upgrade it."
                    )
            else:
                migrations.migrate(connection.raw, self.path, loading.now_for_the_record())

    @property
    def url(self) -> str:
        return f"sqlite:///{quote(self.path)}{self._mode}"

    @property
    def writable(self) -> bool:
        return not self._read_only

    @property
    def keyring(self) -> Keyring:
        return _keyring(self.path)

    # spaces

    def spaces(self) -> list[Mapping[str, Any]]:
        with translated(self.path), self._pool.connection() as connection:
            return list(connection.rows(statements()["spaces"], {}))

    def create_space(self, name: str, intent: Intent, identity: Mapping[str, Any]) -> None:
        with self._writing_connection() as connection:
            if connection.tuples("SELECT 1 FROM spaces WHERE name = :name", {"name": name}):
                return
            space_id = connection.tuples(statements()["insert_space"], {"name": name, "at": intent.at})[0][0]
            writer = SqlWriter(connection, name, space_id, {})
            connection.show(space_id)
            writer.open(intent)
            writer.insert("memories", [identity])
            writer.close()

    def rename_space(self, old: str, new: str) -> None:
        with self._writing_connection() as connection:
            self._space(connection, old)
            if connection.tuples("SELECT 1 FROM spaces WHERE name = :new", {"new": new}):
                raise errors.InvalidInput("space", f"{new!r} exists already. Choose another name.")
            connection.rows(statements()["rename_space"], {"old": old, "new": new})

    def delete_space(self, name: str) -> Iterator[int]:
        with self._writing_connection() as connection:
            space_id, _ = self._space(connection, name)
            # Out of sight first: a delete that is cut short leaves no half of a space behind under its name.
            connection.rows(
                "UPDATE spaces SET name = :name, created_at = :now WHERE key = :key",
                {"name": f"(deleting) {space_id}", "now": loading.now_for_the_record(), "key": space_id},
            )
        removed = 0
        for removed in self._remove(space_id):
            yield removed
        for _ in self._sweep():
            yield removed

    def _remove(self, space_id: int) -> Iterator[int]:
        """Deletes the rows of a hidden space, then the space; yields the rows removed so far."""
        removed = 0
        for table in reversed(BIRTH_ORDER):
            chunk = gone = MEMORIES_CHUNK if table == "memories" else DELETE_CHUNK
            while gone == chunk:
                gone = self._delete_rows(space_id, table, chunk)
                removed += gone
                yield removed
        with self._writing_connection() as connection:
            connection.raw.execute("DELETE FROM spaces WHERE key = ?", (space_id,))

    def _sweep(self) -> Iterator[int]:
        """Removes what killed loads and deletions left behind."""
        with translated(self.path), self._pool.connection() as connection:
            leftovers = connection.tuples(
                "SELECT key FROM spaces WHERE substr(name, 1, 1) = :hidden "
                "AND (created_at < :before OR name LIKE '(deleting)%')",  # deleting twice does no harm
                {"hidden": HIDDEN, "before": loading.now_for_the_record() - LEFTOVER_AFTER},
            )
        for (space_id,) in leftovers:
            yield from self._remove(space_id)

    def _delete_rows(self, space_id: int, table: str, chunk: int) -> int:
        key = "id" if table == "journal" else "key"
        with self._writing_connection() as connection, loading.unjournalled(connection, space_id, "space_delete"):
            connection.raw.execute(
                f"DELETE FROM {table} WHERE {key} IN (SELECT {key} FROM {table} WHERE space_id = ? LIMIT ?)",
                (space_id, chunk),
            )
            return int(connection.raw.changes())

    def _space(self, connection: Connection, name: str) -> tuple[int, dict[str, int]]:
        found = connection.tuples("SELECT key, offsets FROM spaces WHERE name = :name", {"name": name})
        if not found:
            raise errors.SpaceNotFound(name)
        return found[0][0], json.loads(found[0][1])

    # transactions

    @contextmanager
    def reading(self, space: str) -> Iterator[SqlReader]:
        with translated(self.path), self._pool.connection() as connection, connection.transaction("DEFERRED"):
            space_id, _ = self._space(connection, space)
            connection.show(space_id)
            yield SqlReader(connection, space, space_id)

    @contextmanager
    def writing(
        self, space: str, intent: IntentOrMaker | None, *, fence: int | None = None
    ) -> Iterator[SqlWriter]:
        with self._writing_connection() as connection:
            space_id, offsets = self._space(connection, space)
            connection.show(space_id)
            writer = SqlWriter(connection, space, space_id, offsets)
            if fence is not None:
                held_under(fence, writer)
            if intent is not None:
                writer.open(intent)
            yield writer
            if intent is not None:
                writer.close()

    def open_parent(self, space: str, intent: IntentOrMaker, *, fence: int | None = None) -> int:
        with self.writing(space, None, fence=fence) as writer:
            writer.open(intent)
            writer.pause()
            return writer.operation_key

    def close_parent(self, space: str, key: int, *, fence: int | None = None) -> None:
        with self.writing(space, None, fence=fence) as writer:
            writer.resume(key, "close")
            writer.close()

    @contextmanager
    def _writing_connection(self) -> Iterator[Connection]:
        if self._read_only:
            raise errors.ReadOnlyStore(self.path)
        with (
            translated(self.path),
            self._pool.connection() as connection,
            connection.transaction("IMMEDIATE"),
        ):
            yield connection

    # dump and load

    def columns(self) -> Columns:
        with translated(self.path), self._pool.connection() as connection:
            return {table: loading.columns(connection, table) for table in BIRTH_ORDER}

    def dump(self, space: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
        with translated(self.path), self._pool.connection() as connection, connection.transaction("DEFERRED"):
            space_id, offsets = self._space(connection, space)
            for table in BIRTH_ORDER:
                order = "id" if table == "journal" else "key"
                for row in connection.each(
                    f"SELECT * FROM {table} WHERE space_id = ? ORDER BY {order}", (space_id,)
                ):
                    del row["space_id"]
                    yield table, moved(table, row, offsets, -1)

    def load(
        self,
        space: str,
        rows: Iterable[tuple[str, Mapping[str, Any]]],
        *,
        highest: Mapping[str, int],
        chunk: int,
    ) -> Iterator[int]:
        for _ in self._sweep():
            yield 0
        space_id, offsets = self._begin_load(space, highest)
        try:
            total = 0
            stream = iter(rows)
            while batch := list(islice(stream, chunk)):
                self._load_rows(space_id, batch, offsets)
                total += len(batch)
                yield total
            with self._writing_connection() as connection:
                loading.sign_of_life(connection, space_id)
                self._make_way(connection, space)
                connection.rows(
                    "UPDATE spaces SET name = :name, created_at = "
                    "(SELECT min(o.at) FROM operations o WHERE o.space_id = :key) WHERE key = :key",
                    {"name": space, "key": space_id},
                )
        except BaseException:
            # What cannot be removed now, say because the disk is full, is out of sight and swept later.
            with suppress(errors.StoreError):
                for _ in self._remove(space_id):
                    pass
            raise

    def _begin_load(self, space: str, highest: Mapping[str, int]) -> tuple[int, dict[str, int]]:
        """A space under a name nobody can open, and how far its keys must move, those keys set aside for it."""
        with self._writing_connection() as connection:
            self._untouched(connection, space)
            offsets = {table: loading.reserve(connection, table, highest.get(table, 0)) for table in BIRTH_ORDER}
            space_id: int = connection.tuples(
                "INSERT INTO spaces(name, created_at, offsets) VALUES (:name, :at, :offsets) RETURNING key",
                {
                    "name": f"(loading) {secrets.token_hex(8)} {space}",
                    "at": loading.now_for_the_record(),
                    "offsets": json.dumps(offsets),
                },
            )[0][0]
            return space_id, offsets

    def _load_rows(
        self, space_id: int, batch: list[tuple[str, Mapping[str, Any]]], offsets: Mapping[str, int]
    ) -> None:
        with self._writing_connection() as connection:
            loading.sign_of_life(connection, space_id)
            writer = SqlWriter(connection, "", space_id, offsets)
            with loading.unjournalled(connection, space_id, "import"):
                for table in BIRTH_ORDER:
                    writer.insert(table, [moved(t, row, offsets, 1) for t, row in batch if t == table])

    def _untouched(self, connection: Connection, space: str) -> int | None:
        """The key of a space that holds nothing but its birth; None if there is none of that name."""
        found = connection.tuples("SELECT key FROM spaces WHERE name = :name", {"name": space})
        if not found:
            return None
        space_id: int = found[0][0]
        count = "SELECT count(*) FROM (SELECT 1 FROM {} WHERE space_id = :key LIMIT 2)"
        counts = {t: connection.tuples(count.format(t), {"key": space_id})[0][0] for t in BIRTH_ORDER}
        birth = connection.tuples("SELECT verb FROM operations WHERE space_id = :key LIMIT 2", {"key": space_id})
        once = ("operations", "memories", "journal")
        if birth != [("create_space",)] or any(n != (table in once) for table, n in counts.items()):
            raise errors.InvalidInput("space", f"{space!r} exists already. Choose another name.")
        return space_id

    def _make_way(self, connection: Connection, space: str) -> None:
        """Removes a space that holds nothing but its birth, for the one that takes its name."""
        space_id = self._untouched(connection, space)
        if space_id is None:
            return
        with loading.unjournalled(connection, space_id, "space_delete"):
            for table in reversed(BIRTH_ORDER):
                connection.raw.execute(f"DELETE FROM {table} WHERE space_id = ?", (space_id,))
        connection.raw.execute("DELETE FROM spaces WHERE key = ?", (space_id,))

    # the file

    def backup(self, path: str) -> None:
        target = str(Path(path).expanduser())
        with (
            translated(self.path),
            self._pool.connection() as connection,
            appearing(target, "a backup") as partial,
            translated(target),
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
            # After the rows: a tombstone among them is no older than its key. Before the file has its name.
            self.keyring.copy_to(_keyring(target))

    def compact(self) -> None:
        with self._alone() as connection:
            settling.rewrite(connection)

    def size(self) -> int:
        with translated(self.path), self._pool.connection() as connection:
            return settling.size(connection.raw)

    def settle(self, *, rewrite: bool) -> Settled:
        with self._alone() as connection:
            return settling.settle(connection, rewrite=rewrite)

    def check(self) -> list[Problem]:
        # A connection of its own: FTS5 checks itself against what it remembers, and in a pooled connection that
        # may be older than what another process has written since (a false alarm, seen with SQLite 3.54).
        with translated(self.path), closing(self._pool.connect()) as connection:
            return checks.run(connection)

    @contextmanager
    def _alone(self) -> Iterator[apsw.Connection]:
        """A connection of its own, for it is told how long to wait for others."""
        if self._read_only:
            raise errors.ReadOnlyStore(self.path)
        with translated(self.path), closing(self._pool.connect()) as connection:
            yield connection.raw

    def close(self) -> None:
        self._pool.close()


def _keyring(path: str) -> Keyring:
    """The keys of the store in a file: a folder beside it."""
    return Keyring(Path(f"{path}.keys"))


def _create_private(path: str) -> None:
    """An empty file that only its owner may read: memories are nobody else's business."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
