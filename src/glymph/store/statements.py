"""The named statements in `sql/*.sql`, loaded once, and what runs them on one space.

A file holds statements, each behind a line `-- name: NAME`. Parameters are written `:name`.
`{memory}` and `{edge}` stand for the column lists, so that a column is named in one place;
`{mirrored}` is what a mirror keeps of a memory, `{columns}` the same as a JSON list per column.
What else is in braces the engine's dialect writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from glymph.store.contract import Ask, Row, Session, SpaceKey

MEMORY_COLUMNS = (
    "key", "space_id", "id", "kind", "section", "title", "text", "state", "state_at", "state_by",
    "pinned", "protected", "superseded_by", "salience", "trust", "source", "session", "tags",
    "entities", "attributes", "event_at", "expires_at", "created_at", "updated_at", "last_used_at",
    "access_count", "stability", "difficulty", "review", "content_hash", "version",
)  # fmt: skip
EDGE_COLUMNS = (
    "key", "space_id", "source", "target", "type", "weight", "created_at", "last_used_at",
)  # fmt: skip

_MIRRORED = {
    "key": "m.key",
    "class": "m.state || ' ' || m.section "
    "|| CASE WHEN m.superseded_by IS NULL THEN ' 0 ' ELSE ' 1 ' END || m.kind",
    "time": "coalesce(m.event_at, m.created_at)",
    "expires_at": "CASE WHEN m.pinned = 1 THEN NULL ELSE m.expires_at END",
    # Most lists are empty, and nothing is read faster than a text that says so.
    "session": "m.session", "tags": "nullif(m.tags, '[]')", "entities": "nullif(m.entities, '[]')",
    "wording": "substr(m.content_hash, 1, 16)", "size": "octet_length(m.text)",
}  # fmt: skip

_NAME = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Returns every statement by name."""
    found: dict[str, str] = {}
    for file in sorted(Path(__file__).with_name("sql").iterdir()):
        pieces = _NAME.split(file.read_text(encoding="utf-8"))
        for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
            if name in found:
                raise ValueError(
                    f"Statement {name} is defined twice; the second is in {file.name}."
                )
            found[name] = _expand(body)
    return found


def _expand(body: str) -> str:
    statement = body.strip().rstrip(";")
    for name, columns in _LISTS.items():
        statement = statement.replace(name, columns)
    return statement


_LISTS = {
    "{memory}": ", ".join(f"m.{column}" for column in MEMORY_COLUMNS),
    "{mirrored}": ", ".join(f"{value} AS {name}" for name, value in _MIRRORED.items()),
    "{columns}": ", ".join(f"{{list:{name}}}" for name in _MIRRORED),
    "{edge}": ", ".join(f"e.{column}" for column in EDGE_COLUMNS),
}


class SpaceStatements:
    """Runs named statements on one space; each may use its key as `:space_id`."""

    def __init__(self, session: Session, space: str, space_id: SpaceKey) -> None:
        self._session = session
        self._space = space
        self._space_id = space_id

    @property
    def space(self) -> str:
        """The name of the space."""
        return self._space

    @property
    def space_key(self) -> int:
        return self._space_id() if callable(self._space_id) else self._space_id

    def _rows(self, statement: str, /, **parameters: Any) -> list[Row]:
        given = {"space_id": self._space_id, **parameters}
        return self._session.rows(statements()[statement], given)

    def _tuples(self, statement: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
        given = {"space_id": self._space_id, **parameters}
        return self._session.tuples(statements()[statement], given)

    def _one(self, statement: str, /, **parameters: Any) -> Row | None:
        found = self._rows(statement, **parameters)
        return found[0] if found else None

    def _value(self, statement: str, /, **parameters: Any) -> Any:
        """Returns the first column of the first row; None if there is no row."""
        found = self._tuples(statement, **parameters)
        return found[0][0] if found else None

    def _column(self, statement: str, /, **parameters: Any) -> list[Any]:
        """Returns the only column."""
        return [value for (value,) in self._tuples(statement, **parameters)]

    def _run(self, statement: str, /, **parameters: Any) -> None:
        """Runs a statement of which nothing comes back."""
        self._session.run(statements()[statement], {"space_id": self._space_id, **parameters})

    def foresee(self, *asks: Ask) -> None:
        """Says what will be asked for, so that a server can answer it on the way."""
        self._session.foresee(asks)

    def _repeat(self, statement: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Runs a statement once for each set of parameters."""
        given = [{"space_id": self._space_id, **row} for row in rows]
        self._session.repeat(statements()[statement], given)
