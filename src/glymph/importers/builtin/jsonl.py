"""JSON with a text in each record: JSON Lines, or one file with a list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glymph.errors import SourceDamaged
from glymph.importers.contract import COMMON, NOT_IT, Importer, Item
from glymph.importers.json_files import read_json, read_lines
from glymph.importers.records import make_item
from glymph.importers.values import TEXTS

LINES, WHOLE = (".jsonl", ".ndjson"), ".json"
_LISTS = ("results", "memories", "items", "data", "notes")


def recognise(path: Path) -> int:
    return COMMON if path.is_file() and path.suffix.lower() in (*LINES, WHOLE) else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields the memory of each record."""
    records = read_lines(path) if path.suffix.lower() != WHOLE else enumerate(_list(path), 1)
    for number, record in records:
        item = make_item(record, path.name)
        if item is None:
            raise SourceDamaged(
                path.name, f"record {number:,} has no text",
                f"Call the field that holds it `text` (or one of {', '.join(TEXTS[1:6])}).",
            )  # fmt: skip
        yield item


def _list(path: Path) -> list[Mapping[str, Any]]:
    found = read_json(path)
    if isinstance(found, Mapping):
        found = next((found[name] for name in _LISTS if isinstance(found.get(name), list)), [found])
    if not isinstance(found, list):
        raise SourceDamaged(path.name, "it holds no list", "Give a list of records with a `text`.")
    return [one if isinstance(one, Mapping) else {"text": one} for one in found]


IMPORTER = Importer("JSON Lines, or a JSON list", recognise, read)
