"""The guards and the journal of each journalled table, as triggers per statement.

For every table three functions run after a statement inserted, updated or deleted rows: they refuse
what no caller may do, then write the journal, then keep up what follows from the rows. A journal
row of an update holds the old values of the columns that differ, and `after` the new ones; a
delete's image and an insert's `after` hold all. An import brings its own journal, and a deleted
space takes its journal along: neither is journalled again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

JOURNALLED_VERBS = "writing_verb() NOT IN ('import', 'space_delete')"

_ENDS = (("edges", "source"), ("edges", "target"), ("memberships", "memory"))
_BOTH_TABLES = "REFERENCING OLD TABLE AS was NEW TABLE AS fresh"


def _refuse(kind: str, detail: str, condition: str) -> str:
    return f"IF EXISTS ({condition}) THEN PERFORM refuse('{kind}', '{detail}'); END IF;"


def _refuse_by_name(kind: str, condition: str) -> str:
    """Refuses in the name of the memory that the condition finds."""
    return f"PERFORM refuse('{kind}', id) FROM ({condition} LIMIT 1) found;"


_SAME_ROW = "n.space_id = o.space_id AND n.key = o.key"
_NOT_OURS = (
    "NOT EXISTS (SELECT 1 FROM {table} x WHERE x.space_id = f.space_id AND x.key = f.{column})"
)
_TIED = "SELECT 1 FROM was o JOIN {table} x ON x.space_id = o.space_id AND x.{column} = o.key"
_REWORDED = (
    "(o.title, o.text, o.tags, o.entities, o.event_at) IS DISTINCT FROM "
    "(n.title, n.text, n.tags, n.entities, n.event_at)"
)
_WORDS = "words_in({0}.title, {0}.text, {0}.tags, {0}.entities, {0}.event_at)"
_SUMS = (
    "INSERT INTO text_sums AS s(space_id, texts, words) {rows} ON CONFLICT (space_id) DO UPDATE "
    "SET texts = s.texts + excluded.texts, words = s.words + excluded.words;"
)

INSERTED: Mapping[str, Sequence[str]] = {
    "memories": (
        "UPDATE spaces s SET identity = f.id FROM fresh f WHERE f.kind = 'self' AND s.key = "
        "f.space_id;",
        # OFFSET keeps the words from being worked out once for each place that names them.
        "WITH put AS (INSERT INTO memory_text(space_id, memory, words, length) "
        "SELECT d.space_id, d.key, d.words, length_of(d.words) FROM "
        f"(SELECT f.space_id, f.key, {_WORDS.format('f')} AS words FROM fresh f OFFSET 0) d "
        "RETURNING space_id, length) "
        + _SUMS.format(
            rows="SELECT space_id, count(*), coalesce(sum(length), 0)::bigint FROM put "
                 "GROUP BY space_id"
        ),
    ),
    "edges": (
        _refuse(
            "Isolated", "both ends of a link must be memories of its space.",
            f"SELECT 1 FROM fresh f WHERE {_NOT_OURS.format(table='memories', column='source')} "
            f"OR {_NOT_OURS.format(table='memories', column='target')}",
        ),
    ),
    "memberships": (
        _refuse(
            "Isolated", "a cluster holds memories of its own space.",
            f"SELECT 1 FROM fresh f WHERE {_NOT_OURS.format(table='memories', column='memory')} "
            f"OR {_NOT_OURS.format(table='clusters', column='cluster')}",
        ),
    ),
}  # fmt: skip

UPDATED: Mapping[str, Sequence[str]] = {
    "memories": (
        _refuse_by_name(
            "Protected",
            f"SELECT o.id FROM was o JOIN fresh n ON {_SAME_ROW} WHERE o.protected = 1 AND "
            "(n.state <> 'LIVE' "
            "OR n.superseded_by IS NOT NULL OR n.protected = 0 OR n.kind <> o.kind)",
        ),
        _refuse_by_name(
            "Pinned",
            f"SELECT o.id FROM was o JOIN fresh n ON {_SAME_ROW} WHERE o.pinned = 1 "
            "AND (n.state <> o.state AND n.state <> 'LIVE' OR n.superseded_by IS NOT NULL "
            "AND n.superseded_by IS DISTINCT FROM o.superseded_by)",
        ),
        _refuse(
            "Refused", "the identity of a space is born with it.",
            f"SELECT 1 FROM was o JOIN fresh n ON {_SAME_ROW} WHERE n.kind = 'self' AND o.kind <> "
            "'self'",
        ),
        _refuse(
            "Isolated", "a memory is superseded by one of its own space.",
            f"SELECT 1 FROM was o JOIN fresh n ON {_SAME_ROW} WHERE n.superseded_by IS NOT NULL "
            "AND n.superseded_by IS DISTINCT FROM o.superseded_by AND NOT EXISTS "
            "(SELECT 1 FROM memories x WHERE x.space_id = n.space_id AND x.id = n.superseded_by)",
        ),
        _SUMS.format(
            rows=f"SELECT o.space_id, 0, sum(length_of({_WORDS.format('n')}) - t.length)::bigint "
                 "FROM was o "
            f"JOIN fresh n ON {_SAME_ROW} JOIN memory_text t ON t.space_id = o.space_id AND "
            "t.memory = o.key "
            f"WHERE {_REWORDED} GROUP BY o.space_id"
        ),
        "UPDATE memory_text t SET words = d.words, length = length_of(d.words) FROM ("
        f"SELECT n.space_id, n.key, {_WORDS.format('n')} AS words FROM was o JOIN fresh n ON "
        f"{_SAME_ROW} "
        f"WHERE {_REWORDED} OFFSET 0) d WHERE t.space_id = d.space_id AND t.memory = d.key;",
    ),
}  # fmt: skip

DELETED: Mapping[str, Sequence[str]] = {
    "memories": (
        "IF writing_verb() <> 'space_delete' THEN "
        + _refuse_by_name("Protected", "SELECT o.id FROM was o WHERE o.protected = 1")
        + " END IF; IF writing_verb() NOT IN ('undo', 'space_delete') THEN "
        + _refuse_by_name("Pinned", "SELECT o.id FROM was o WHERE o.pinned = 1")
        + " END IF;",
        _refuse(
            "Refused", "a memory is removed only after its links and memberships.",
            " UNION ALL ".join(
                _TIED.format(table=table, column=column)
                for table, column in _ENDS
            ),
        ),
        _SUMS.format(
            rows="SELECT o.space_id, -count(*), -coalesce(sum(t.length), 0)::bigint FROM was o "
                 "JOIN memory_text t "
            "ON t.space_id = o.space_id AND t.memory = o.key GROUP BY o.space_id"
        ),
        "DELETE FROM memory_text t USING was o WHERE t.space_id = o.space_id AND t.memory = o.key;",
    ),
    "clusters": (
        _refuse(
            "Refused", "a cluster is removed only after its memberships.",
            _TIED.format(table="memberships", column="cluster"),
        ),
    ),
}  # fmt: skip


def of_table(table: str, columns: Sequence[str]) -> str:
    """Writes the functions and triggers of a journalled table.

    `columns` are its own, without key and space.
    """
    every = ", ".join(f'o."{column}"' for column in columns)
    new = ", ".join(
        f'f."{column}"' for column in columns if (table, column) != ("memories", "text")
    )
    differs = " OR ".join(f'o."{column}" IS DISTINCT FROM n."{column}"' for column in columns)
    bodies = (
        (
            "insert", INSERTED.get(table, ()), "REFERENCING NEW TABLE AS fresh", "fresh",
            f"f.space_id, writing_operation(), '{table}', f.key, 'insert', '{{}}', {_object(new)} "
            "FROM fresh f",
        ),
        (
            "update", UPDATED.get(table, ()), _BOTH_TABLES, "was",
            f"o.space_id, writing_operation(), '{table}', o.key, 'update', "
            f"{_changed_values('o', columns)}, "
            f"{_changed_values('n', columns)} FROM was o JOIN fresh n ON {_SAME_ROW} WHERE "
            f"{differs} ORDER BY o.key",
        ),
        (
            "delete", DELETED.get(table, ()), "REFERENCING OLD TABLE AS was", "was",
            f"o.space_id, writing_operation(), '{table}', o.key, 'delete', {_object(every)}, "
            "'{}' FROM was o",
        ),
    )  # fmt: skip
    moves = (
        f"CREATE OR REPLACE TRIGGER {table}_stay_where_they_are BEFORE UPDATE OF key, space_id ON "
        f"{table} "
        f"FOR EACH ROW WHEN (OLD.key <> NEW.key OR OLD.space_id <> NEW.space_id) EXECUTE FUNCTION "
        f"stays_as_it_is('Isolated', 'this row belongs to another space than the operation.');"
    )
    return "\n".join([moves, *(_after(table, *body) for body in bodies)])


def _after(table: str, event: str, work: Sequence[str], seen: str, rows: str, journal: str) -> str:
    name = f"{table}_after_{event}"
    lines = "\n  ".join(work)
    return f"""
CREATE OR REPLACE FUNCTION {name}() RETURNS TRIGGER LANGUAGE plpgsql
SET search_path = glymph, public AS $$
BEGIN
  PERFORM must_be_written_here(d.space_id) FROM (SELECT DISTINCT space_id FROM {rows}) d;
  {lines}
  IF {JOURNALLED_VERBS} THEN
    INSERT INTO journal(space_id, operation, tbl, key, action, image, after) SELECT {journal};
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER {name} AFTER {event.upper()} ON {table} {seen}
FOR EACH STATEMENT EXECUTE FUNCTION {name}();"""


def _object(columns: str) -> str:
    """Writes a row's columns as compact JSON."""
    return f"(SELECT row_to_json(d)::text FROM (SELECT {columns}) d)"


def _changed_values(row: str, columns: Sequence[str]) -> str:
    """Writes the columns of an updated row that differ, as compact JSON."""
    parts = ", ".join(
        f'CASE WHEN o."{c}" IS DISTINCT FROM n."{c}" THEN '
        f"""'"{c}":' || coalesce(to_json({row}."{c}")::text, 'null') END"""
        for c in columns
    )
    return f"'{{' || concat_ws(',', {parts}) || '}}'"


def forbid_truncate(tables: Sequence[str]) -> str:
    """Triggers that keep whole tables from being emptied past the others."""
    return "\n".join(
        f"CREATE OR REPLACE TRIGGER {table}_are_not_emptied BEFORE TRUNCATE ON {table} FOR EACH "
        "STATEMENT "
        f"EXECUTE FUNCTION stays_as_it_is('Refused', '{table} are never emptied at once.');"
        for table in tables
    )
