"""The named statements in `sql/*.sql`, loaded once.

A file holds statements, each behind a line `-- name: NAME`. Parameters are written `:name`.
`{memory}` and `{edge}` stand for the column lists, so that a column is named in one place;
`{mirrored}` is what a mirror keeps of a memory, `{columns}` the same as a JSON list per column.
What else is in braces the engine's dialect writes.
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
EDGE_COLUMNS = (
    "key",
    "space_id",
    "source",
    "target",
    "type",
    "weight",
    "created_at",
    "last_used_at",
)

_MIRRORED = {
    "key": "m.key",
    "class": "m.state || ' ' || m.section "
    "|| CASE WHEN m.superseded_by IS NULL THEN ' 0 ' ELSE ' 1 ' END || m.kind",
    "time": "coalesce(m.event_at, m.created_at)", "expires_at": "m.expires_at", "session": "m.session",
    "tags": "m.tags", "entities": "m.entities", "wording": "substr(m.content_hash, 1, 16)",
}  # fmt: skip

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Every statement by name."""
    found: dict[str, str] = {}
    for file in sorted(
        resources.files("glymph.store").joinpath("sql").iterdir(), key=lambda f: f.name
    ):
        pieces = _NAME.split(file.read_text(encoding="utf-8"))
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
            if name in found:
                raise ValueError(
                    f"Statement {name} is defined twice; the second is in {file.name}."
                )
            found[name] = _expand(body)
    return found


def _expand(body: str) -> str:
    return (
        body.strip()
        .rstrip(";")
        .replace("{memory}", ", ".join(f"m.{column}" for column in MEMORY_COLUMNS))
        .replace("{mirrored}", ", ".join(f"{value} AS {name}" for name, value in _MIRRORED.items()))
        .replace("{columns}", ", ".join(f"{{list:{name}}}" for name in _MIRRORED))
        .replace("{edge}", ", ".join(f"e.{column}" for column in EDGE_COLUMNS))
    )
