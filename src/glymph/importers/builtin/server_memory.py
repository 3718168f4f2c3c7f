"""The knowledge graph of the MCP reference server for memory: entities and relations as JSONL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glymph.importers.contract import NOT_IT, OWN, Importer, Item
from glymph.importers.json_files import read_first_object, read_lines
from glymph.importers.values import name_by_text


def recognise(path: Path) -> int:
    first = read_first_object(path)
    kind = first.get("type") if first else None
    entity = kind == "entity" and isinstance(first.get("observations"), list)
    return OWN if entity or (kind == "relation" and "relationType" in first) else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields each observation with whom it is about, and each relation as a sentence."""
    for _, record in read_lines(path):
        if record.get("type") == "entity":
            yield from _read_entity(record, path.name)
        elif record.get("type") == "relation":
            yield _read_relation(record, path.name)


def _read_entity(record: Mapping[str, Any], place: str) -> Iterator[Item]:
    name, kind = _plain(record.get("name")), _plain(record.get("entityType"))
    for said in record.get("observations") or ():
        if isinstance(said, str) and said.strip():
            yield Item(
                f"{name}: {said}", f"{record.get('name')}/{name_by_text(said)}", place,
                kind="fact", entities=(name,), tags=(kind,) if kind else (),
            )  # fmt: skip


def _read_relation(record: Mapping[str, Any], place: str) -> Item:
    ends = _plain(record.get("from")), _plain(record.get("to"))
    text = f"{ends[0]} {_plain(record.get('relationType'))} {ends[1]}"
    return Item(text, name_by_text(text), place, kind="fact", entities=ends)


def _plain(name: object) -> str:
    """Returns a name as people write it: its blanks are often underscores."""
    return " ".join(str(name or "").replace("_", " ").split())


IMPORTER = Importer("the MCP server-memory's JSONL file", recognise, read)
