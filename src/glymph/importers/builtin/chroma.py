"""A folder that ChromaDB's PersistentClient keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from glymph.importers.chroma_folder import FILE, is_chroma, read_records
from glymph.importers.contract import NOT_IT, OWN, Importer, Item
from glymph.importers.values import CREATED, TAGS, UPDATED, USED, find_moment, find_text, read_words


def recognise(path: Path) -> int:
    return OWN if is_chroma(_find_file(path)) else NOT_IT


def _find_file(path: Path) -> Path:
    return path / FILE if path.is_dir() else path


def read(path: Path) -> Iterator[Item]:
    """Yields every document; of a record without one, the text of its metadata."""
    for one in read_records(_find_file(path)):
        text = one.document or find_text(one.metadata)
        if not text:
            continue
        tags = next((one.metadata[name] for name in TAGS if name in one.metadata), None)
        yield Item(
            text, f"{one.collection}/{one.id}", path.name,
            created_at=find_moment(one.metadata, CREATED) or one.created_at,
            last_used_at=find_moment(one.metadata, USED),
            updated_at=find_moment(one.metadata, UPDATED), tags=read_words(tags),
            about={"collection": one.collection, **_leave_out(one.metadata, text)},
        )  # fmt: skip


def _leave_out(metadata: dict[str, object], text: str) -> dict[str, object]:
    return {name: value for name, value in metadata.items() if value != text}


IMPORTER = Importer("a ChromaDB folder", recognise, read)
