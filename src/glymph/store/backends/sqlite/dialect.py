"""SQLite's dialect of the shared statements."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from glymph.store.dialect import Dialect

SQLITE = Dialect(
    macros={
        "scope": "(SELECT space_id FROM temp.scope)",
        "identity": "(SELECT m.id FROM memories m WHERE m.space_id = s.key AND m.kind = 'self')",
        "due_at": "(SELECT min(min(c.due_at), coalesce((SELECT min(coalesce(q.taken_until, 0)) "
        "FROM queue q "
        "WHERE q.space_id = s.key AND q.done_at IS NULL AND q.failed_at IS NULL), "
        "9223372036854775807)) "
        "FROM schedules c WHERE c.space_id = s.key)",
        "once": "MATERIALIZED",  # else {due_at} is asked for at every mention
        "begin_writing": "INSERT INTO writing(one, space_id, operation, verb) "
        "VALUES (1, :space_id, :operation, :verb)",
        "end_writing": "DELETE FROM writing",
    },
    patterns=(
        (r"\{(?:keys|texts):(\w+)\}", r"(SELECT value FROM json_each(:\1))"),
        (r"\{json:([\w.]+):(\w+)\}", r"json_extract(\1, '$.\2')"),
        (r"\{array:([^}]*)\}", r"json_array(\1)"),
        (r"\{has:([\w.]+):(\w+)\}", r"EXISTS (SELECT 1 FROM json_each(\1) WHERE value = :\2)"),
        (r"\{list:(\w+)\}", r"json_group_array(\1)"),
        # A text is bytes to SQLite, whose lengths it knows: zeros among them stay.
        (r"\{joined:(\w+)\}", r"CAST(group_concat(\1, '') AS BLOB)"),
        (r"\{at:([^:}]+):(:?[\w.]+)\}", r"instr(\1, \2)"),
        (r"\{bytes:([^}]*)\}", r"unhex(\1)"),
        (r"\{newest:(\w+)\}", r"(SELECT seq FROM sqlite_sequence WHERE name = '\1')"),
        (r"\{unindexed:([\w.]+)\}", r"+\1"),
    ),
)


@cache
def render_for_one(template: str, names: Sequence[str]) -> tuple[str, frozenset[str]]:
    """Returns the statement for lists of one value, and the names of those that are bound as such.

    To take one value out of JSON costs as much as to look it up. A set that is gone through
    ("FROM {keys:…}") stays one.
    """
    single = {
        name
        for name in names
        if f"FROM {{keys:{name}}}" not in template and f"FROM {{texts:{name}}}" not in template
    }
    for name in single:
        for kind in ("keys", "texts"):
            template = template.replace(f"IN {{{kind}:{name}}}", f"IN (:{name})")
    return SQLITE.render(template), frozenset(single)
