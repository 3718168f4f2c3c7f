"""Notes in Markdown: one file, or a folder of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from glymph.importers.contract import COMMON, NOT_IT, Importer, Item
from glymph.importers.markdown_text import split_markdown
from glymph.importers.text_files import list_texts, read_text, when_written

ENDINGS = (".md", ".markdown", ".mdx")


def recognise(path: Path) -> int:
    return COMMON if list_texts(path, ENDINGS) else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields every paragraph and every item of a list."""
    for file, name in list_texts(path, ENDINGS):
        yield from split_markdown(read_text(file), name, at=when_written(file))


IMPORTER = Importer("notes in Markdown", recognise, read)
