"""The named statements in `sql/*.sql`, loaded once.

A file holds statements, each behind a line `-- name: NAME`. Parameters are written `:name`. `{memory}` and
`{edge}` stand for the column lists, so that a column is named in one place. `{keys:name}` and `{texts:name}`
stand for the set of integers or texts in a parameter that holds a JSON list. `{mirrored}` is what a mirror keeps
of a memory, `{columns}` the same as a JSON list per column.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

MEMORY_COLUMNS = (
    "key", "space_id", "id", "kind", "section", "title", "text", "state", "state_at", "state_by", "pinned",
    "protected", "superseded_by", "salience", "trust", "source", "session", "tags", "entities", "attributes",
    "event_at", "expires_at", "created_at", "updated_at", "last_used_at", "access_count", "stability",
    "difficulty", "review", "content_hash", "version",
)  # fmt: skip
EDGE_COLUMNS = ("key", "space_id", "source", "target", "type", "weight", "created_at", "last_used_at")

_MIRRORED = {
    "key": "m.key",
    "class": "m.state || ' ' || m.section || ' ' || (m.superseded_by IS NOT NULL) || ' ' || m.kind",
    "time": "coalesce(m.event_at, m.created_at)", "expires_at": "m.expires_at", "session": "m.session",
    "tags": "m.tags", "entities": "m.entities", "wording": "substr(m.content_hash, 1, 16)",
}  # fmt: skip

_LIST = re.compile(r"\{(?:keys|texts):(\w+)\}")
_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Every statement by name."""
    found: dict[str, str] = {}
    for file in sorted(resources.files("glymph.store").joinpath("sql").iterdir(), key=lambda f: f.name):
        pieces = _NAME.split(file.read_text(encoding="utf-8"))
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
            if name in found:
                raise ValueError(f"Statement {name} is defined twice; the second is in {file.name}.")
            found[name] = _expand(body)
    return found


def _expand(body: str) -> str:
    body = _LIST.sub(r"(SELECT value FROM json_each(:\1))", body)
    return (
        body.strip()
        .rstrip(";")
        .replace("{memory}", ", ".join(f"m.{column}" for column in MEMORY_COLUMNS))
        .replace("{mirrored}", ", ".join(f"{value} AS {name}" for name, value in _MIRRORED.items()))
        .replace("{columns}", ", ".join(f"json_group_array({name})" for name in _MIRRORED))
        .replace("{edge}", ", ".join(f"e.{column}" for column in EDGE_COLUMNS))
    )
