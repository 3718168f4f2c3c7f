"""PostgreSQL's dialect of the shared statements."""

from __future__ import annotations

from glymph.store.dialect import Dialect

BACK = r"\1"
_BIGINTS, _TEXTS = r"CAST(:{} AS bigint[])", r'CAST(:{} AS text[]) COLLATE "C"'


POSTGRESQL = Dialect(
    macros={
        "scope": "shown_space()",
        "identity": "s.identity",
        "due_at": "s.due_at",
        "once": "NOT MATERIALIZED",  # an index finds the few that are due
        "begin_writing": "SELECT set_config('glymph.operation', CAST(CAST(:operation AS bigint) "
        "AS text), true), set_config('glymph.verb', :verb, true)",
        "end_writing": "SELECT set_config('glymph.operation', '', true), set_config('glymph.verb', "
        "'', true)",
    },
    patterns=(
        # The space that is shown and no parameter: its key need not be known here.
        (r":space_id\b", "shown_space()"),
        # An array, not a table: the planner sees how many are asked for, and goes by the index if
        # they are few.
        (r"NOT IN \{keys:(\w+)\}", rf"<> ALL ({_BIGINTS.format(BACK)})"),
        (r"IN \{keys:(\w+)\}", rf"= ANY ({_BIGINTS.format(BACK)})"),
        (r"IN \{texts:(\w+)\}", rf"= ANY ({_TEXTS.format(BACK)})"),
        (r"FROM \{keys:(\w+)\} (\w+)", rf"FROM unnest({_BIGINTS.format(BACK)}) AS \2(value)"),
        (r"FROM \{texts:(\w+)\} (\w+)", rf"FROM unnest({_TEXTS.format(BACK)}) AS \2(value)"),
        (r"\{json:([\w.]+):(\w+)\}", r"(CAST(\1 AS jsonb) ->> '\2')"),
        (r"json\((\w+)\)(?=[^{]*\})", r"CAST(\1 AS json)"),
        (r"\{array:([^}]*)\}", r"CAST(json_build_array(\1) AS text)"),
        (r"\{has:([\w.]+):(\w+)\}", r"(CAST(\1 AS jsonb) ? CAST(:\2 AS text))"),
        (r"\{list:(\w+)\}", r"CAST(json_agg(\1) AS text)"),
        (r"\{joined:(\w+)\}", r"string_agg(\1, CAST('' AS bytea))"),
        (r"\{at:([^:}]+):(:?[\w.]+)\}", r"strpos(\1, \2)"),
        (r"\{bytes:([^}]*)\}", r"decode(\1, 'hex')"),
        (r"\{newest:(\w+)\}", r"(SELECT max(key) FROM scoped_\1)"),
        (r"\{unindexed:([\w.]+)\}", r"\1"),
    ),
    parameter=r"%(\1)s",
    escapes={"%": "%%"},
)
