"""Reads the SQLite file of another program without leaving a trace beside it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from glymph.errors import SourceDamaged

HEADER = b"SQLite format 3\0"
BESIDE = ("-wal", "-journal")  # what a program that still writes, or was killed, leaves
NEXT_STEP = "Close the program that writes it and try again; if that does not help, take a backup."


def is_sqlite(path: Path) -> bool:
    """Tells whether a file begins as SQLite's do."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(HEADER)) == HEADER


def list_columns(path: Path, table: str) -> frozenset[str]:
    """Returns the columns of a table; none if the file is not SQLite's, or has no such table."""
    if not is_sqlite(path):
        return frozenset()
    logs = [path.with_name(path.name + end) for end in BESIDE]
    stamps = tuple(one.stat().st_mtime_ns for one in (path, *logs) if one.is_file())
    return _list_tables(path, stamps).get(table, frozenset())


@lru_cache(maxsize=8)
def _list_tables(path: Path, stamps: tuple[int, ...]) -> dict[str, frozenset[str]]:
    """Returns the columns of each table: read once while every importer looks at the file.

    Virtual tables are left out: those of sqlite-vec need its extension even to be described.
    """
    try:
        with open_unchanged(path) as database:
            rows = database.rows(
                "SELECT name FROM sqlite_master "
                "WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL TABLE%'"
            )
            return {name: database.columns(name) for name in [row["name"] for row in rows]}
    except SourceDamaged:
        return {}  # whoever reads it says what is wrong with it


class Database:
    """A database that is only read."""

    def __init__(self, connection: apsw.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    def columns(self, table: str) -> frozenset[str]:
        """Returns the names of a table's columns; none if it has no such table."""
        rows = self.rows("SELECT name FROM pragma_table_info(:name)", {"name": table})
        return frozenset(row["name"] for row in rows)

    def rows(self, sql: str, parameters: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
        """Yields what a query finds, by column."""
        try:
            cursor = self._connection.execute(sql, parameters or {})
            for row in cursor:
                names = [column[0] for column in cursor.getdescription()]
                yield dict(zip(names, row, strict=True))
        except apsw.Error as error:
            raise SourceDamaged(self._path.name, str(error), NEXT_STEP) from error


@contextmanager
def open_unchanged(path: Path) -> Iterator[Database]:
    """Opens a database so that neither it nor its folder changes.

    What a program has not yet moved out of its log beside the file is read from a copy of both: to
    read the log in its place, SQLite would write there.
    """
    if not any(_is_filled(path, end) for end in BESIDE):
        where = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        with closing(_connect(path, where, flags)) as connection:
            yield Database(connection, path)
        return
    with (
        copy_whole(path) as copy,
        closing(_connect(path, str(copy), apsw.SQLITE_OPEN_READWRITE)) as connection,
    ):
        yield Database(connection, path)


@contextmanager
def copy_whole(path: Path) -> Iterator[Path]:
    """Yields a copy of a database, with its log, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="glymph-") as folder:
        copy = Path(folder) / path.name
        for end in ("", *BESIDE):
            if not end or _is_filled(path, end):
                shutil.copyfile(f"{path}{end}", f"{copy}{end}")
        yield copy


def _is_filled(path: Path, end: str) -> bool:
    beside = path.with_name(path.name + end)
    return beside.is_file() and beside.stat().st_size > 0


def _connect(path: Path, where: str, flags: int) -> apsw.Connection:
    try:
        connection = apsw.Connection(where, flags=flags)
        connection.execute("SELECT count(*) FROM sqlite_master").fetchall()
    except apsw.Error as error:
        raise SourceDamaged(path.name, str(error), NEXT_STEP) from error
    return connection
