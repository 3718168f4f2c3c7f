"""The schema's history: each step runs once, in one transaction with its own record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from glymph import errors
from glymph.store.backends.sqlite import checksums
from glymph.store.contract import JOURNALLED

APPLICATION_ID = 0x676C796D  # "glym" in the file's header


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    apply: Callable[[apsw.Connection], None]


def _script(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _foundation(connection: apsw.Connection) -> None:
    connection.execute(_script("schema.sql"))


def _recall(connection: apsw.Connection) -> None:
    connection.execute(_script("recall.sql"))


def _write_path(connection: apsw.Connection) -> None:
    connection.execute(_script("write_path.sql"))


def _columns(connection: apsw.Connection) -> None:
    connection.execute(_script("columns.sql"))


def _maintenance(connection: apsw.Connection) -> None:
    connection.execute(_script("maintenance.sql"))


def _conversations(connection: apsw.Connection) -> None:
    connection.execute(_script("conversations.sql"))


def _questions(connection: apsw.Connection) -> None:
    connection.execute(_script("questions.sql"))


def _folding(connection: apsw.Connection) -> None:
    """Changes no table: the guards of journal and operations, made anew below, know folds."""


def _tokens(connection: apsw.Connection) -> None:
    connection.execute(_script("tokens.sql"))
    checksums.install_for(connection, "tokens")


def _sessions(connection: apsw.Connection) -> None:
    """Changes no table: the guards let a purge give sessions and actors other names."""


def _cursors(connection: apsw.Connection) -> None:
    connection.execute(_script("cursors.sql"))
    checksums.install_for(connection, "meta")


def _leftover_words(connection: apsw.Connection) -> None:
    connection.execute(_script("leftover_words.sql"))
    checksums.install_for(connection, "leftover_words")


def _text_anew(connection: apsw.Connection) -> None:
    connection.execute(_script("text_anew.sql"))


MIGRATIONS: Sequence[Migration] = (
    Migration(1, "foundation", _foundation),
    Migration(2, "recall", _recall),
    Migration(3, "write path", _write_path),
    Migration(4, "columns", _columns),
    Migration(5, "maintenance", _maintenance),
    Migration(6, "conversations", _conversations),
    Migration(7, "questions", _questions),
    Migration(8, "checksums", checksums.install),
    Migration(9, "folding", _folding),
    Migration(10, "tokens", _tokens),
    Migration(11, "sessions", _sessions),
    Migration(12, "cursors", _cursors),
    Migration(13, "leftover words", _leftover_words),
    Migration(14, "text anew", _text_anew),
)
NEWEST = MIGRATIONS[-1].version


def migrate(
    connection: apsw.Connection, path: str, now: int, steps: Sequence[Migration] = MIGRATIONS
) -> None:
    """Brings a new or older file to the newest schema; leaves a current one as it is."""
    checksums.register(connection)
    newest = steps[-1].version
    if schema_version(connection, path, newest) == newest:
        return
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
    connection.execute("PRAGMA journal_mode = WAL").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = schema_version(connection, path, newest)  # another process may have been first
        for step in steps:
            if step.version > found:
                step.apply(connection)
                connection.execute(
                    "INSERT INTO migrations VALUES (?, ?, ?)", (step.version, step.name, now)
                )
        install_triggers(connection)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def schema_version(connection: apsw.Connection, path: str, newest: int) -> int:
    """Returns the file's schema, 0 if it is empty; refuses what is not ours or is newer."""
    version = int(connection.pragma("user_version"))
    application = connection.pragma("application_id")
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").get
    if application != APPLICATION_ID and (tables or version or application):
        raise errors.NotAStore(path)
    if version > newest:
        raise errors.NewerSchema(path, version, newest)
    if tables and version != (recorded := _recorded_version(connection, path)):
        raise errors.CorruptStore(path, f"its header says schema {version}, its table {recorded}")
    return version


def _recorded_version(connection: apsw.Connection, path: str) -> int:
    """Returns the schema by the file's own record of steps, which must agree with its header."""
    try:
        return int(connection.execute("SELECT max(version) FROM migrations").get or 0)
    except apsw.SQLError as error:
        raise errors.CorruptStore(path, str(error)) from error


def install_triggers(connection: apsw.Connection) -> None:
    """Drops every trigger and makes today's: they are code and follow the tables' columns."""
    for (name,) in connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
    ).fetchall():
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute(_script("triggers.sql"))
    for table in JOURNALLED:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        connection.execute(
            journal_triggers(table, [c for c in columns if c not in ("key", "space_id")])
        )


def journal_triggers(table: str, columns: Sequence[str]) -> str:
    """Writes triggers that let a table change only inside an operation, and journal each change.

    An update's image holds the old values of the columns that differ, and `after` the new ones; a
    delete's image and an insert's `after` hold all. An import brings its own journal, and a deleted
    space takes its journal along: neither is journalled again.
    """
    changed = ", ".join(f"('{c}', OLD.{c}, NEW.{c})" for c in columns)
    differs = " OR ".join(f"OLD.{c} IS NOT NEW.{c}" for c in columns)
    old = ", ".join(f"'{c}', OLD.{c}" for c in columns)
    new = ", ".join(f"'{c}', NEW.{c}" for c in columns if (table, c) != ("memories", "text"))
    parts = [
        f"""
        CREATE TRIGGER {table}_{event}_needs_operation BEFORE {event} ON {table}
        WHEN (SELECT space_id FROM writing) IS DISTINCT FROM {row}.space_id{moved}
        BEGIN SELECT CASE WHEN EXISTS (SELECT 1 FROM writing)
          THEN RAISE(ABORT, 'glymph:Isolated:this row belongs to another space than the operation.')
          ELSE RAISE(ABORT, 'glymph:Refused:memories change only inside an operation.') END; END;"""
        for event, row, moved in (
            ("INSERT", "NEW", ""),
            ("UPDATE", "OLD", " OR OLD.space_id <> NEW.space_id OR OLD.key <> NEW.key"),
            ("DELETE", "OLD", ""),
        )
    ]
    differences = f"(WITH d(c, o, n) AS (VALUES {changed}) SELECT c, o, n FROM d WHERE o IS NOT n)"
    parts += [
        f"""
        CREATE TRIGGER {table}_{event}_is_journalled AFTER {event} ON {table}
        WHEN (SELECT verb FROM writing) NOT IN ('import', 'space_delete'){condition}
        BEGIN INSERT INTO journal(space_id, operation, tbl, key, action, image, after)
          SELECT {row}.space_id, operation, '{table}', {row}.key, '{event.lower()}', {values}
          FROM {source}; END;"""
        for event, row, condition, values, source in (
            ("INSERT", "NEW", "", f"'{{}}', json_object({new})", "writing"),
            (
                "UPDATE", "OLD", f" AND ({differs})",
                "json_group_object(c, o), json_group_object(c, n)", f"writing, {differences}",
            ),
            ("DELETE", "OLD", "", f"json_object({old}), '{{}}'", "writing"),
        )
    ]  # fmt: skip
    return "\n".join(parts)
