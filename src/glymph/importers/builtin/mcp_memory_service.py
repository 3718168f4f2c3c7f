"""The SQLite file of mcp-memory-service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from glymph.importers.contract import NOT_IT, OWN, Importer, Item
from glymph.importers.sqlite_file import list_columns, open_unchanged
from glymph.importers.values import read_moment, read_words

_COLUMNS = {"content_hash", "content", "tags", "memory_type", "metadata"}

UNTAGGED = "untagged"  # what the service writes where nobody gave a tag


def recognise(path: Path) -> int:
    return OWN if list_columns(path, "memories") >= _COLUMNS else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields the memories that are neither deleted nor replaced by a later version."""
    with open_unchanged(path) as database:
        for row in database.rows("SELECT * FROM memories ORDER BY id"):
            if row.get("deleted_at") is not None or row.get("superseded_by"):
                continue
            told = _read_metadata(row["metadata"])
            count = told.pop("access_count", 0)
            used = told.pop("last_accessed_at", None) or row.get("last_accessed")
            if row["memory_type"]:
                told["memory_type"] = row["memory_type"]
            yield Item(
                row["content"], row["content_hash"], path.name,
                created_at=read_moment(row["created_at"]), last_used_at=read_moment(used),
                updated_at=read_moment(row["updated_at"]),
                access_count=count if isinstance(count, int) and count > 0 else 0,
                tags=tuple(tag for tag in read_words(row["tags"]) if tag != UNTAGGED), about=told,
            )  # fmt: skip


def _read_metadata(text: str | None) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {"metadata": text}
    return found if isinstance(found, dict) else {}


IMPORTER = Importer("mcp-memory-service's SQLite file", recognise, read)
