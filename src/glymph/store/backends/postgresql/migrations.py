"""The schema's history on a server: each step runs once, in one transaction with its own record.

Everything lies in the schema `glymph` of the database. Functions, triggers, views and policies are
code, not data: they are made anew whenever a step runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources

import psycopg

from glymph import errors
from glymph.store.backends.postgresql import triggers
from glymph.store.contract import JOURNALLED
from glymph.store.portable import BIRTH_ORDER

# The first with a collation that knows letters of every script wherever it was set up.
LEAST_SERVER = 170000
LOCK = 0x676C796D  # "glym": of several processes that open an empty database one makes the schema
ROLE = "glymph"  # what a superuser becomes, for row-level security does not bind superusers
EXTENSIONS = ("vector", "btree_gin")

# Whole rows of one space lie here; `memory_text` is apart, for a policy would keep its index from
# being used.
OWN = ("text_sums", "meanings", "chunks", "chunk_bodies", "certificates", "surfaces", "leases")


@dataclass(frozen=True, slots=True)
class Migration:
    version: int
    name: str
    scripts: tuple[str, ...]


MIGRATIONS: Sequence[Migration] = (
    Migration(1, "foundation", ("text_search.sql", "functions.sql", "schema.sql")),
    Migration(2, "conversations", ("conversations.sql",)),
    Migration(3, "questions", ("questions.sql",)),
    Migration(5, "folding", ()),  # guards alone: they are made anew below
    Migration(6, "tokens", ("tokens.sql",)),
    Migration(7, "sessions", ()),  # guards alone
    Migration(8, "cursors", ("cursors.sql",)),
    Migration(9, "shorter ways", ()),  # functions and triggers alone
)
NEWEST = MIGRATIONS[-1].version


def script(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def schema_version(connection: psycopg.Connection[tuple[object, ...]], name: str) -> int:
    """Returns the database's schema, 0 if Glymph has none there; refuses a newer one."""
    there = connection.execute("SELECT to_regclass('glymph.migrations') IS NOT NULL").fetchone()
    if there != (True,):
        return 0
    found = connection.execute("SELECT max(version) FROM glymph.migrations").fetchone()
    version = int(str(found[0])) if found and found[0] is not None else 0
    if version > NEWEST:
        raise errors.NewerSchema(name, version, NEWEST)
    return version


def migrate(connection: psycopg.Connection[tuple[object, ...]], name: str, now: int) -> None:
    """Brings an empty or older database to the newest schema.

    The connection must be outside a transaction, and without a role taken.
    """
    if connection.info.server_version < LEAST_SERVER:
        told = f"{connection.info.server_version // 10000}"
        raise errors.StoreError(
            f"{name} is PostgreSQL {told}; Glymph needs 17 or newer. Upgrade the server."
        )
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        found = schema_version(connection, name)
        if found == NEWEST:
            return  # another process was first
        _extensions(connection)
        connection.execute("CREATE SCHEMA IF NOT EXISTS glymph")
        connection.execute("SET LOCAL search_path = glymph, public")
        for step in MIGRATIONS:
            if step.version > found:
                for file in step.scripts:
                    connection.execute(script(file))
                record = "INSERT INTO migrations VALUES (%s, %s, %s)"
                connection.execute(record, (step.version, step.name, now))
        for text in code(columns_of(connection)):
            connection.execute(text)
        admit(connection, anew=True)


def code(columns: dict[str, list[str]]) -> list[str]:
    """Functions, triggers, views and policies of today."""
    journalled = [
        triggers.of_table(table, [c for c in columns[table] if c not in ("key", "space_id")])
        for table in JOURNALLED
    ]
    guarded = (*JOURNALLED, "journal", "operations", "messages")
    views = [
        f"CREATE OR REPLACE VIEW scoped_{table} WITH (security_invoker = true) AS "
        f"SELECT * FROM {table} WHERE space_id = glymph.shown_space()"
        for table in BIRTH_ORDER
    ]
    return [
        script("functions.sql"), script("triggers.sql"), *journalled,
        triggers.forbid_truncate(guarded), *views,
        *(_policy(table) for table in (*BIRTH_ORDER, *OWN)),
    ]  # fmt: skip


def _policy(table: str) -> str:
    """Writes the policy that shows one space at a time, also to the owner of the table."""
    return f"""
ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
ALTER TABLE {table} FORCE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS one_space ON {table};
CREATE POLICY one_space ON {table}
USING (space_id = glymph.shown_space()) WITH CHECK (space_id = glymph.shown_space());"""


def columns_of(connection: psycopg.Connection[tuple[object, ...]]) -> dict[str, list[str]]:
    """Returns the columns of each table in their order."""
    found: dict[str, list[str]] = {}
    for table, column in connection.execute(
        "SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid "
        "WHERE c.relnamespace = 'glymph'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 "
        "AND NOT a.attisdropped ORDER BY c.relname, a.attnum"
    ):
        found.setdefault(str(table), []).append(str(column))
    return found


def _extensions(connection: psycopg.Connection[tuple[object, ...]]) -> None:
    for name in EXTENSIONS:
        try:
            with connection.transaction():
                connection.execute(f"CREATE EXTENSION IF NOT EXISTS {name}")
        except psycopg.Error as error:
            raise errors.StoreError(
                f"The server has no extension {name!r}, or you may not create it "
                f"({error.diag.message_primary}). "
                f"Install it there, or let an administrator run: CREATE EXTENSION {name};"
            ) from error


def admit(connection: psycopg.Connection[tuple[object, ...]], *, anew: bool = False) -> None:
    """Lets a user whom row-level security does not bind become the role that it binds.

    Does nothing if that is so already. `anew`: there are new tables, which the role may not touch
    yet.
    """
    if not bypasses(connection):
        return
    if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (ROLE,)).fetchone():
        # Roles are the server's: another of its databases may make it at this moment.
        with suppress(psycopg.errors.IntegrityError), connection.transaction():
            connection.execute(f"CREATE ROLE {ROLE} NOLOGIN")
    may = connection.execute(
        "SELECT pg_has_role(%s, 'SET') AND has_schema_privilege(%s, 'glymph', 'USAGE')",
        (ROLE, ROLE),
    ).fetchone()
    if may == (True,) and not anew:
        return
    connection.execute(f"GRANT {ROLE} TO CURRENT_USER WITH SET TRUE, INHERIT FALSE")
    connection.execute(f"GRANT USAGE ON SCHEMA glymph TO {ROLE}")
    connection.execute(
        f"GRANT SELECT, INSERT, UPDATE, DELETE, MAINTAIN ON ALL TABLES IN SCHEMA glymph TO {ROLE}"
    )
    connection.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA glymph TO {ROLE}")


def bypasses(connection: psycopg.Connection[tuple[object, ...]]) -> bool:
    """Tells whether row-level security does not bind who is connected."""
    found = connection.execute(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    return found == (True,)
