"""The file of LangGraph's SqliteStore."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from glymph.errors import SourceDamaged
from glymph.importers.contract import NOT_IT, OWN, Importer, Item
from glymph.importers.sqlite_file import NEXT_STEP, list_columns, open_unchanged
from glymph.importers.values import TAGS, find_text, read_moment, read_words


def recognise(path: Path) -> int:
    columns = list_columns(path, "store")
    return OWN if columns >= {"prefix", "key", "value", "created_at"} else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields every value that has not expired; one without a text of its own as JSON."""
    now = datetime.now(UTC)
    with open_unchanged(path) as database:
        for row in database.rows("SELECT * FROM store ORDER BY created_at, prefix, key"):
            expires = read_moment(row.get("expires_at"))
            if expires is not None and expires <= now:
                continue
            value = _parse(path, row)
            text = find_text(value) or json.dumps(value, ensure_ascii=False, sort_keys=True)
            tags = next((value[name] for name in TAGS if name in value), None)
            others = {name: one for name, one in value.items() if one != text}
            yield Item(
                text, f"{row['prefix']}/{row['key']}", path.name, expires_at=expires,
                created_at=read_moment(row["created_at"]),
                updated_at=read_moment(row["updated_at"]), tags=read_words(tags),
                about={"namespace": row["prefix"], **others},
            )  # fmt: skip


def _parse(path: Path, row: dict[str, Any]) -> dict[str, Any]:
    try:
        value = json.loads(row["value"])
    except (ValueError, TypeError, RecursionError) as error:
        raise SourceDamaged(
            path.name, f"the value of {row['key']!r} is not JSON ({error})", NEXT_STEP
        ) from error
    return value if isinstance(value, dict) else {"value": value}


IMPORTER = Importer("LangGraph's SqliteStore", recognise, read)
