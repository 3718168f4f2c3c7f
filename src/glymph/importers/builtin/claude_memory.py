"""What Claude remembers on a machine: CLAUDE.md files, and folders of memory files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from glymph.importers.contract import NOT_IT, OWN, Importer, Item
from glymph.importers.markdown_text import read_front_matter, split_markdown
from glymph.importers.text_files import list_texts, read_text, when_written
from glymph.importers.values import CREATED, find_moment

RULES = ("CLAUDE.md", "CLAUDE.local.md")
INDEX = "MEMORY.md"
ENDINGS = (".md", ".txt")
_POINTER = re.compile(r"\A[-*+]?[ \t]*\[[^\]]*\]\((?P<file>[^)\s]+)\)")


def recognise(path: Path) -> int:
    if path.is_file():
        return OWN if path.name in (*RULES, INDEX) else NOT_IT
    return OWN if any((path / name).is_file() for name in (*RULES, INDEX)) else NOT_IT


def read(path: Path) -> Iterator[Item]:
    """Yields each memory file as one memory, and each line of rules and indexes as one.

    What an index only points to is read in its own file.
    """
    files = [(file, name) for file, name in list_texts(path, ENDINGS) if _is_memory(file)]
    names = {name for _, name in files}
    for file, name in files:
        text, at = read_text(file), when_written(file)
        fields, body = read_front_matter(text.replace("\r\n", "\n"))
        if file.name in RULES:
            yield from split_markdown(text, name, at=at, kind="preference")
        elif "name" in fields and "description" in fields and body.strip():
            yield Item(
                body.strip(), name, name, title=fields["description"], kind="note",
                created_at=find_moment(fields, CREATED) or at,
                tags=tuple(filter(None, [fields.get("type")])),
            )  # fmt: skip
        else:
            for item in split_markdown(text, name, at=at):
                pointer = _POINTER.match(item.text)
                if pointer is None or _beside(name, pointer["file"]) not in names:
                    yield item


def _is_memory(file: Path) -> bool:
    """Tells whether a file is for Claude, and not one of the project's own documents."""
    return file.name in (*RULES, INDEX) or (file.parent / INDEX).is_file()


def _beside(index: str, file: str) -> str:
    return (PurePosixPath(index).parent / file).as_posix()


IMPORTER = Importer("CLAUDE.md, or a folder of Claude's memory files", recognise, read)
