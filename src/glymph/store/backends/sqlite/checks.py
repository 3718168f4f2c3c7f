"""Checks of a SQLite file: pages, checksums, references, full text, schema and guards.

Each check is made whatever the others found: of a damaged file as much as can be told is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from functools import cache
from itertools import chain, islice
from typing import Any

import apsw

from glymph.model import Problem
from glymph.store.backends.sqlite import checksums, migrations
from glymph.store.portable import MOST_KEY

# What a damaged file makes SQLite, or the reading of its texts, raise.
DAMAGED = (
    apsw.CorruptError, apsw.MismatchError, apsw.TooBigError, apsw.RangeError, UnicodeDecodeError,
)  # fmt: skip
MOST = 20  # problems of one kind that are named

Found = Iterator[str]

_LOST_MESSAGES = (
    "SELECT count(*) FROM messages m "
    "WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.key = m.conversation AND c.space_id = "
    "m.space_id)"
)
_SCHEMA = (
    "SELECT type, name, sql FROM sqlite_schema "
    "WHERE (name NOT LIKE 'sqlite~_%' ESCAPE '~' OR name = 'sqlite_sequence')"
)
_COLUMNS = (
    "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'"
)
_SHADOW = "memory_text_"  # tables that the text index makes for itself, as its version wants them
_INDEXED = re.compile(r"row (\d+) missing from index (\w+)")
# Settings of the text index; its format is 5 once something was erased from it.
_TEXT_SETTINGS = {"secure-delete": (1,), "automerge": (8,), "version": (4, 5)}


def run(raw: apsw.Connection) -> list[Problem]:
    """Returns every problem found."""
    problems = []
    for check, find in _CHECKS:
        try:
            problems += [Problem(check, detail) for detail in islice(find(raw), MOST)]
        # A damaged schema may hand a checksum something else than bytes.
        except (*DAMAGED, apsw.SQLError, TypeError) as error:
            problems.append(Problem(check, f"cannot be checked to the end ({error})"))
    return problems


def find_changed_schema(path: str) -> str | None:
    """Returns how a file's tables, guards or text index are made otherwise than a new one's.

    None if they are not.
    """
    try:
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as raw:
            return next(chain(_schema(raw), _triggers(raw), _text_settings(raw)), None)
    except (*DAMAGED, apsw.SQLError, apsw.NotADBError) as error:
        return str(error)


def _pages(raw: apsw.Connection) -> Found:
    for (text,) in raw.execute(f"PRAGMA integrity_check({MOST})"):
        if text != "ok":
            yield _tell(str(text))


def _tell(finding: str) -> str:
    """Says what an index over checksums shows: that a row, or its checksum, was changed."""
    found = _INDEXED.fullmatch(finding)
    if found is not None and found[2] == checksums.WORDED_INDEX:
        return f"row {found[1]} of memories differs from the checksum of its words, or in its state"
    if found is None or not found[2].endswith(checksums.END):
        return finding
    return f"row {found[1]} of {found[2].removesuffix(checksums.END)} differs from its checksum"


def _references(raw: apsw.Connection) -> Found:
    for table, rowid, parent, _ in raw.execute("PRAGMA foreign_key_check"):
        yield f"row {rowid} of {table} points at a missing row of {parent}"
    if count := raw.execute(_LOST_MESSAGES).get:
        yield f"{count} rows of messages point at a missing row of conversations"


def _text_settings(raw: apsw.Connection) -> Found:
    found: Any = raw.execute("SELECT k, v FROM memory_text_config")
    settings: dict[str, Any] = dict(found)
    for name, usual in _TEXT_SETTINGS.items():
        if settings.get(name) not in usual:
            yield f"the setting {name} of the index is {settings.get(name)!r}"


def _text_index(raw: apsw.Connection) -> Found:
    yield from _text_settings(raw)
    if raw.readonly("main"):
        return  # the index checks itself through an INSERT, which a read-only file does not take
    try:
        with raw:
            raw.execute("INSERT INTO memory_text(memory_text, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError as error:
        yield f"the index disagrees with the memories ({error})"


def _schema(raw: apsw.Connection) -> Found:
    """Compares tables, indexes and views with those of a new store."""
    wanted, found = _made_anew("<>"), _made(raw, "<>")
    yield from sorted(
        f"table {table} has no column {column}"
        for table, column in _columns_made_anew() - _columns(raw)
        if f"table {table}" in found
    )
    for name, sql in wanted.items():
        if name not in found:
            yield f"{name} is missing"
        elif found[name] != sql and _SHADOW not in name:
            yield f"{name} was changed"


def _columns(raw: apsw.Connection) -> frozenset[tuple[str, str]]:
    found: Any = raw.execute(_COLUMNS)
    return frozenset(found)


@cache
def _columns_made_anew() -> frozenset[tuple[str, str]]:
    with closing(apsw.Connection(":memory:")) as fresh:
        migrations.migrate(fresh, ":memory:", 0)
        return _columns(fresh)


def _triggers(raw: apsw.Connection) -> Found:
    """Compares the guards with those of a new store."""
    wanted, found = _made_anew("="), _made(raw, "=")
    yield from (f"{name} is missing" for name in wanted.keys() - found.keys())
    yield from (f"unknown {name}" for name in found.keys() - wanted.keys())
    both = wanted.keys() & found.keys()
    yield from (f"{name} was changed" for name in both if wanted[name] != found[name])


def _made(raw: apsw.Connection, sign: str) -> Mapping[str, str]:
    return {
        f"{kind} {name}": sql
        for kind, name, sql in raw.execute(f"{_SCHEMA} AND type {sign} 'trigger'")
    }


@cache
def _made_anew(sign: str) -> Mapping[str, str]:
    with closing(apsw.Connection(":memory:")) as fresh:
        migrations.migrate(fresh, ":memory:", 0)
        return _made(fresh, sign)


def _keys(raw: apsw.Connection) -> Found:
    """Checks that no key can be given out twice, and that keys do not run out."""
    tables = [
        name.removeprefix("table ")
        for name, sql in _made_anew("<>").items()
        if "AUTOINCREMENT" in sql
    ]
    with raw:  # one moment: others may write meanwhile
        found: Any = raw.execute("SELECT name, seq FROM sqlite_sequence")
        given: dict[str, Any] = dict(found)
        newest = {one: raw.execute(f"SELECT max(rowid) FROM {one}").get or 0 for one in tables}
    for table in tables:
        last = given.get(table, 0)
        if not isinstance(last, int) or not newest[table] <= last <= MOST_KEY:
            yield f"the next key of {table} would follow {last!r}; the newest is {newest[table]}"


def _operations(raw: apsw.Connection) -> Found:
    if raw.execute("SELECT 1 FROM writing").fetchall():
        yield "an operation is marked as being written although none is"


def _unfinished(raw: apsw.Connection) -> Found:
    for (name,) in raw.execute("SELECT name FROM spaces WHERE name LIKE '(deleting)%'"):
        yield (
            f"{name} is under way or was cut short; "
            "the next `glymph store space delete` or import ends it"
        )


_CHECKS: tuple[tuple[str, Callable[[apsw.Connection], Found]], ...] = (
    ("pages", _pages), ("references", _references), ("full text", _text_index),
    ("schema", _schema), ("guards", _triggers), ("sequences", _keys), ("operations", _operations),
    ("unfinished", _unfinished),
)  # fmt: skip
