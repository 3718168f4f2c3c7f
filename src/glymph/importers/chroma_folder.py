"""Reads the records of a ChromaDB folder: documents, metadata and dates, not the vectors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from glymph.importers.sqlite_file import list_columns, open_unchanged
from glymph.importers.values import read_moment

FILE = "chroma.sqlite3"
DOCUMENT = "chroma:document"
_RECORDS = """
    SELECT e.id AS number, e.embedding_id AS id, e.created_at AS created_at, c.name AS collection
    FROM embeddings e JOIN segments s ON s.id = e.segment_id JOIN collections c
      ON c.id = s.collection ORDER BY e.id
"""
_FIELDS = "SELECT * FROM embedding_metadata ORDER BY id"


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a collection."""

    id: str
    collection: str
    document: str | None
    metadata: dict[str, Any]
    created_at: datetime | None


def is_chroma(path: Path) -> bool:
    """Tells whether a file is the database of a ChromaDB folder."""
    return list_columns(path, "embedding_metadata") >= {"id", "key", "string_value"}


def find_below(path: Path) -> list[Path]:
    """Returns the databases in a folder and in those directly below it."""
    if not path.is_dir():
        return []
    return [file for file in sorted([path / FILE, *path.glob(f"*/{FILE}")]) if is_chroma(file)]


def read_records(file: Path) -> Iterator[Record]:
    """Yields every record, by collection and in the order in which they were added."""
    with open_unchanged(file) as database:
        fields: dict[int, dict[str, Any]] = {}
        for row in database.rows(_FIELDS):
            value = next((row[name] for name in _VALUES if row.get(name) is not None), None)
            if row.get("bool_value") is not None:
                value = bool(value)
            fields.setdefault(row["id"], {})[row["key"]] = value
        for row in database.rows(_RECORDS):
            metadata = fields.get(row["number"], {})
            document = metadata.pop(DOCUMENT, None)
            yield Record(
                row["id"], row["collection"], document, metadata, read_moment(row["created_at"])
            )


_VALUES = ("string_value", "int_value", "float_value", "bool_value")
