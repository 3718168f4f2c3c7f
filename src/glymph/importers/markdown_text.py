"""Splits Markdown into memories: each item of a list and each paragraph, under its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from glymph.importers.contract import Item
from glymph.importers.values import CREATED, TAGS, UPDATED, find_moment, name_by_text, read_words

_FRONT = re.compile(r"\A---[ \t]*\n(?P<fields>.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^[ \t]*(?P<name>[\w-]+):[ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>.+?)[ \t]*#*\Z")
_BULLET = re.compile(
    r"(?P<indent>[ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>.*)\Z"
)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_RULE = re.compile(r"[ \t]*(?:[-*_][ \t]*){3,}\Z")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_POINTER = re.compile(r"@\S+\Z")  # CLAUDE.md takes in another file so


def read_front_matter(text: str) -> tuple[dict[str, str], str]:
    """Returns the fields before a text, between two lines of dashes, and the text."""
    front = _FRONT.match(text)
    if front is None:
        return {}, text
    fields = {
        found["name"].lower(): found["value"].strip("\"'")
        for found in _FIELD.finditer(front["fields"])
    }
    return fields, text[front.end() :]


@dataclass(slots=True)
class _Block:
    """A piece of text that belongs together, and the headings above it."""

    lines: list[str] = field(default_factory=list)
    headings: tuple[str, ...] = ()
    listed: bool = False


def split_markdown(
    text: str, place: str, *, at: datetime | None = None, kind: str = "note"
) -> Iterator[Item]:
    """Yields the memories of a Markdown text; each has its headings for tags.

    `at` is when the text was written, unless it says so itself.
    """
    fields, body = read_front_matter(text.replace("\r\n", "\n"))
    told: dict[str, Any] = dict(fields)
    tags = read_words(next((told[name] for name in TAGS if name in told), None))
    for block in _split_blocks(_COMMENT.sub("", body)):
        said = "\n".join(block.lines).strip()
        if not any(character.isalnum() for character in said) or _POINTER.match(said):
            continue
        yield Item(
            said, f"{place}#{name_by_text(said)}", place, kind=kind,
            created_at=find_moment(told, CREATED) or at, updated_at=find_moment(told, UPDATED),
            tags=(*tags, *block.headings),
        )  # fmt: skip


def _split_blocks(body: str) -> Iterator[_Block]:
    headings: dict[int, str] = {}
    block = _Block()
    fenced = False
    for line in body.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
            block.lines.append(line)
            continue
        if fenced:
            block.lines.append(line)
            continue
        heading, bullet = _HEADING.match(line), _BULLET.match(line)
        if heading is None and not line.strip():
            if block.listed:
                block.lines.append("")  # what is indented below it still belongs to the item
            else:
                yield block
                block = _Block([], tuple(headings.values()))
        elif heading is not None:
            yield block
            level = len(heading["level"])
            headings = {at: text for at, text in headings.items() if at < level}
            headings[level] = heading["text"]
            block = _Block([], tuple(headings.values()))
        elif _RULE.match(line):
            yield block
            block = _Block([], tuple(headings.values()))
        elif bullet is not None and not (block.listed and bullet["indent"]):
            yield block
            block = _Block([bullet["text"]], tuple(headings.values()), listed=True)
        elif block.listed and not line.startswith((" ", "\t")) and _ended(block):
            yield block
            block = _Block([line], tuple(headings.values()))
        else:
            block.lines.append(line.strip() if block.listed else line)
    yield block


def _ended(block: _Block) -> bool:
    return bool(block.lines) and not block.lines[-1].strip()
