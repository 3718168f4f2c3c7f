"""Checks of a PostgreSQL store: references, full text, guards, isolation."""

from __future__ import annotations

import re
from typing import Any

import psycopg

from glymph.model import Problem
from glymph.store.backends.postgresql import migrations
from glymph.store.portable import BIRTH_ORDER

_MISSING = "SELECT count(*) FROM {table} r WHERE NOT EXISTS (SELECT 1 FROM {parent} p WHERE {same})"
_REFERENCES = (
    *((table, "spaces", "p.key = r.space_id") for table in (*BIRTH_ORDER, "memory_text")),
    ("edges", "memories", "p.space_id = r.space_id AND p.key = r.source"),
    ("edges", "memories", "p.space_id = r.space_id AND p.key = r.target"),
    ("memberships", "memories", "p.space_id = r.space_id AND p.key = r.memory"),
    ("memberships", "clusters", "p.space_id = r.space_id AND p.key = r.cluster"),
    ("messages", "conversations", "p.space_id = r.space_id AND p.key = r.conversation"),
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
    """Returns every problem found.

    `bound` says whether Glymph's own role is bound by policies. A user whom row-level security
    binds sees no rows here and finds nothing wrong with them, so each space is looked at by itself.
    """
    connection.execute("SET search_path = glymph, public")
    problems = _guards(connection)
    if not bound:
        problems.append(
            Problem(
                "isolation", "row-level security does not bind this user: the second wall is open"
            )
        )
    for (space_id,) in connection.execute("SELECT key FROM spaces ORDER BY key").fetchall():
        with connection.transaction():
            connection.execute("SELECT set_config('glymph.space', %s, true)", (str(space_id),))
            problems += _rows(connection, int(space_id))
    for (name,) in connection.execute(
        "SELECT name FROM spaces WHERE name LIKE '(deleting)%'"
    ).fetchall():
        what = (
            "is under way or was cut short; the next `glymph store space delete` or import ends it"
        )
        problems.append(Problem("unfinished", f"{name} {what}"))
    return problems


def _rows(connection: psycopg.Connection[tuple[Any, ...]], space_id: int) -> list[Problem]:
    found = []
    for table, parent, same in _REFERENCES:
        missing = (
            _MISSING.format(table=table, parent=parent, same=same) + f" AND r.space_id = {space_id}"
        )
        if count := _value(connection, missing):
            told = f"{count} rows of {table} in space {space_id} point at a missing row of {parent}"
            found.append(Problem("references", told))
    differing = _value(
        connection,
        "SELECT count(*) FROM memories m JOIN memory_text t ON t.space_id = m.space_id AND "
        "t.memory = m.key "
        f"WHERE m.space_id = {space_id} "
        "AND t.words IS DISTINCT FROM words_in(m.title, m.text, m.tags, m.entities, m.event_at)",
    )
    sums = _value(
        connection,
        f"SELECT (SELECT (texts, words) FROM text_sums WHERE space_id = {space_id}) IS DISTINCT "
        "FROM "
        "(SELECT (count(*), coalesce(sum(length), 0)::bigint) FROM memory_text WHERE space_id = "
        f"{space_id}) "
        f"AND EXISTS (SELECT 1 FROM memory_text WHERE space_id = {space_id})",
    )
    if differing or sums:
        found.append(
            Problem("full text", f"the index of space {space_id} disagrees with its memories")
        )
    return found


def _value(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> Any:
    found = connection.execute(sql).fetchone()
    return found[0] if found else None


_FUNCTIONS = "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'glymph'::regnamespace"
_TRIGGERS = (
    "SELECT t.tgname, c.relname || ' ' || p.proname || ' ' || t.tgenabled::text FROM pg_trigger t "
    "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
    "WHERE c.relnamespace = 'glymph'::regnamespace AND NOT t.tgisinternal"
)
_POLICIES = (
    "SELECT c.relname, pg_get_expr(o.polqual, o.polrelid) || pg_get_expr(o.polwithcheck, "
    "o.polrelid) "
    "|| c.relrowsecurity::text || c.relforcerowsecurity::text FROM pg_policy o "
    "JOIN pg_class c ON c.oid = o.polrelid WHERE c.relnamespace = 'glymph'::regnamespace"
)
_FUNCTION = re.compile(
    r"CREATE OR REPLACE FUNCTION (?:glymph\.)?(\w+)\(.*?\bAS\s+\$\$(.*?)\$\$", re.DOTALL
)
_TRIGGER = re.compile(
    r"CREATE OR REPLACE TRIGGER (\w+) .*?\bON (\w+)\b.*?EXECUTE FUNCTION (?:glymph\.)?(\w+)\(",
    re.DOTALL,
)
_ONE_SPACE = "(space_id = glymph.shown_space())"


def _guards(connection: psycopg.Connection[tuple[Any, ...]]) -> list[Problem]:
    """Compares the guards with those a store is made with.

    Only the catalogue is read, so nobody is kept waiting.
    """
    told = "\n".join(migrations.code(migrations.columns_of(connection)))
    wanted = {f"function {name}": body for name, body in _FUNCTION.findall(told)}
    wanted |= {
        f"trigger {name}": f"{table} {function} O"
        for name, table, function in _TRIGGER.findall(told)
    }
    tables = (*BIRTH_ORDER, *migrations.OWN)
    wanted |= {f"policy on {table}": f"{_ONE_SPACE}{_ONE_SPACE}truetrue" for table in tables}
    found = {f"function {name}": body for name, body in connection.execute(_FUNCTIONS)}
    found |= {f"trigger {name}": body for name, body in connection.execute(_TRIGGERS)}
    found |= {
        f"policy on {name}": _qualify(str(body)) for name, body in connection.execute(_POLICIES)
    }
    problems = [Problem("guards", f"{name} is missing") for name in wanted.keys() - found.keys()]
    both = wanted.keys() & found.keys()
    return problems + [
        Problem("guards", f"{name} was changed") for name in both if wanted[name] != found[name]
    ]


def _qualify(policy: str) -> str:
    """Returns the condition of a policy with the schema named, which the server may leave out."""
    return re.sub(r"(?<!glymph\.)shown_space\(", "glymph.shown_space(", policy)
