"""Checks of a SQLite file: pages, references, full text, guards."""

from __future__ import annotations

from contextlib import closing

import apsw

from glymph.model import Problem
from glymph.store.backends.sqlite import migrations
from glymph.store.backends.sqlite.connection import Connection

_LOST_MESSAGES = (
    "SELECT count(*) FROM messages m "
    "WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.key = m.conversation AND c.space_id = "
    "m.space_id)"
)


def run(connection: Connection) -> list[Problem]:
    """Returns every problem found."""
    raw = connection.raw
    with closing(apsw.Connection(":memory:")) as fresh:
        migrations.migrate(fresh, ":memory:", 0)
        _check_columns(raw, fresh)
        guards = _triggers(raw, fresh)
    problems = [
        Problem("pages", str(text))
        for (text,) in raw.execute("PRAGMA integrity_check(20)").fetchall()
        if text != "ok"
    ]
    problems += [
        Problem("references", f"row {rowid} of {table} points at a missing row of {parent}")
        for table, rowid, parent, _ in raw.execute("PRAGMA foreign_key_check").fetchall()
    ]
    problems += _text_index(raw) + guards
    if count := raw.execute(_LOST_MESSAGES).get:
        problems.append(
            Problem(
                "references", f"{count} rows of messages point at a missing row of conversations"
            )
        )
    if raw.execute("SELECT 1 FROM writing").fetchall():
        problems.append(
            Problem("operations", "an operation is marked as being written although none is")
        )
    for (name,) in raw.execute("SELECT name FROM spaces WHERE name LIKE '(deleting)%'").fetchall():
        what = "is under way or was cut short; the next `glymph space delete` or import ends it"
        problems.append(Problem("unfinished", f"{name} {what}"))
    return problems


def _text_index(raw: apsw.Connection) -> list[Problem]:
    if raw.readonly("main"):
        return []  # the index checks itself through an INSERT, which a read-only file does not take
    try:
        with raw:
            raw.execute("INSERT INTO memory_text(memory_text, rank) VALUES ('integrity-check', 1)")
    except apsw.CorruptError as error:
        return [Problem("full text", f"the index disagrees with the memories ({error})")]
    return []


def _check_columns(raw: apsw.Connection, fresh: apsw.Connection) -> None:
    """Raises CorruptError if a table lacks a column: what is in it cannot be read then."""
    query = (
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c "
        "WHERE t.type = 'table'"
    )
    if missing := {*fresh.execute(query)} - {*raw.execute(query)}:
        table, column = min(missing)
        raise apsw.CorruptError(f"the table {table} has no column {column}")


def _triggers(raw: apsw.Connection, fresh: apsw.Connection) -> list[Problem]:
    """Compares the guards with those a fresh store gets."""
    query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    wanted = {str(name): sql for name, sql in fresh.execute(query)}
    found = {str(name): sql for name, sql in raw.execute(query)}
    problems = [
        Problem("guards", f"trigger {name} is missing") for name in wanted.keys() - found.keys()
    ]
    problems += [
        Problem("guards", f"unknown trigger {name}") for name in found.keys() - wanted.keys()
    ]
    problems += [
        Problem("guards", f"trigger {name} was changed")
        for name in wanted.keys() & found.keys()
        if wanted[name] != found[name]
    ]
    return problems
