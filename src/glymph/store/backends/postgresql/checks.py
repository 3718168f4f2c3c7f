"""What PostgreSQL can tell about a store's soundness."""

from __future__ import annotations

from typing import Any

import psycopg

from glymph.core.model import Problem
from glymph.store.backends.postgresql import migrations
from glymph.store.portable import BIRTH_ORDER

_MISSING = "SELECT count(*) FROM {table} r WHERE NOT EXISTS (SELECT 1 FROM {parent} p WHERE {same})"
_REFERENCES = (
    *((table, "spaces", "p.key = r.space_id") for table in (*BIRTH_ORDER, "memory_text")),
    ("edges", "memories", "p.space_id = r.space_id AND p.key = r.source"),
    ("edges", "memories", "p.space_id = r.space_id AND p.key = r.target"),
    ("memberships", "memories", "p.space_id = r.space_id AND p.key = r.memory"),
    ("memberships", "clusters", "p.space_id = r.space_id AND p.key = r.cluster"),
    ("vectors", "models", "p.space_id = r.space_id AND p.key = r.model"),
    (
        "meanings",
        "vectors",
        "(p.space_id, p.model, p.memory, p.wording) = (r.space_id, r.model, r.memory, r.wording)",
    ),
    ("memory_text", "memories", "p.space_id = r.space_id AND p.key = r.memory"),
    ("memories", "memory_text", "p.space_id = r.space_id AND p.memory = r.key"),
)


def run(connection: psycopg.Connection[tuple[Any, ...]], *, bound: bool) -> list[Problem]:
    """Every problem found; an empty list is a clean bill. `bound`: whether Glymph's own role is bound by policies.

    A user whom row-level security binds sees no rows here and finds nothing wrong with them: then each space is
    looked at by itself.
    """
    connection.execute("SET search_path = glymph, public")
    problems = _guards(connection)
    if not bound:
        problems.append(
            Problem("isolation", "row-level security does not bind this user: the second wall is open")
        )
    for (space_id,) in connection.execute("SELECT key FROM spaces ORDER BY key").fetchall():
        with connection.transaction():
            connection.execute("SELECT set_config('glymph.space', %s, true)", (str(space_id),))
            problems += _rows(connection, int(space_id))
    for (name,) in connection.execute("SELECT name FROM spaces WHERE name LIKE '(deleting)%'").fetchall():
        what = "is under way or was cut short; the next `glymph space delete` or import ends it"
        problems.append(Problem("unfinished", f"{name} {what}"))
    return problems


def _rows(connection: psycopg.Connection[tuple[Any, ...]], space_id: int) -> list[Problem]:
    found = []
    for table, parent, same in _REFERENCES:
        missing = _MISSING.format(table=table, parent=parent, same=same) + f" AND r.space_id = {space_id}"
        if count := _value(connection, missing):
            told = f"{count} rows of {table} in space {space_id} point at a missing row of {parent}"
            found.append(Problem("references", told))
    differing = _value(
        connection,
        "SELECT count(*) FROM memories m JOIN memory_text t ON t.space_id = m.space_id AND t.memory = m.key "
        f"WHERE m.space_id = {space_id} "
        "AND t.words IS DISTINCT FROM words_in(m.title, m.text, m.tags, m.entities, m.event_at)",
    )
    sums = _value(
        connection,
        f"SELECT (SELECT (texts, words) FROM text_sums WHERE space_id = {space_id}) IS DISTINCT FROM "
        f"(SELECT (count(*), coalesce(sum(length), 0)::bigint) FROM memory_text WHERE space_id = {space_id}) "
        f"AND EXISTS (SELECT 1 FROM memory_text WHERE space_id = {space_id})",
    )
    if differing or sums:
        found.append(Problem("full text", f"the index of space {space_id} disagrees with its memories"))
    return found


def _value(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> Any:
    found = connection.execute(sql).fetchone()
    return found[0] if found else None


_CODE = (
    "SELECT 'function ' || p.proname, p.prosrc FROM pg_proc p WHERE p.pronamespace = 'glymph'::regnamespace "
    "UNION ALL SELECT 'trigger ' || t.tgname, pg_get_triggerdef(t.oid) || t.tgenabled::text FROM pg_trigger t "
    "JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = 'glymph'::regnamespace AND NOT t.tgisinternal "
    "UNION ALL SELECT 'policy on ' || c.relname, pg_get_expr(o.polqual, o.polrelid) || "
    "pg_get_expr(o.polwithcheck, o.polrelid) || c.relrowsecurity::text || c.relforcerowsecurity::text "
    "FROM pg_policy o JOIN pg_class c ON c.oid = o.polrelid WHERE c.relnamespace = 'glymph'::regnamespace"
)


def _guards(connection: psycopg.Connection[tuple[Any, ...]]) -> list[Problem]:
    """The guards must be those of a fresh store: they are made anew in a transaction that is taken back."""
    found = dict(connection.execute(_CODE).fetchall())
    try:
        with connection.transaction():
            for text in migrations.code(migrations.columns_of(connection)):
                connection.execute(text)
            wanted = dict(connection.execute(_CODE).fetchall())
            raise psycopg.Rollback
    except psycopg.errors.InsufficientPrivilege:
        return []  # not the owner, who alone can tell
    problems = [Problem("guards", f"{name} is missing") for name in wanted.keys() - found.keys()]
    return problems + [
        Problem("guards", f"{name} was changed")
        for name in wanted.keys() & found.keys()
        if wanted[name] != found[name]
    ]
