"""A data export of ChatGPT: conversations.json, in its folder, its archive or by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glymph.errors import SourceDamaged
from glymph.importers.contract import NOT_IT, OWN, Conversation, Importer
from glymph.importers.json_files import MEND, peek, read_documents
from glymph.importers.values import read_moment
from glymph.learn.transcript import SPEAKERS, Turn

FILES = "conversations*.json"


def recognise(path: Path) -> int:
    return OWN if b'"mapping"' in peek(path, FILES) else NOT_IT


def read(path: Path) -> Iterator[Conversation]:
    """Yields the conversations, each as it stood at its end: answers made anew are left out."""
    for name, talks in read_documents(path, FILES):
        if not isinstance(talks, list):
            raise SourceDamaged(name, "it holds no list of conversations", MEND)
        for number, talk in enumerate(talks):
            if not isinstance(talk, Mapping) or not isinstance(talk.get("mapping"), Mapping):
                raise SourceDamaged(name, f"conversation {number:,} has no messages", MEND)
            talk_id = str(talk.get("conversation_id") or talk.get("id") or number)
            turns = [_read_turn(node, talk_id) for node in _follow(talk)]
            yield Conversation(talk_id, name, tuple(turn for turn in turns if turn is not None))


def _follow(talk: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the messages from the first to the last one shown."""
    nodes = talk["mapping"]
    at, seen = talk.get("current_node"), set()
    if at not in nodes:
        return [node for node in nodes.values() if isinstance(node, Mapping)]
    found: list[Mapping[str, Any]] = []
    while at in nodes and at not in seen and isinstance(nodes[at], Mapping):
        seen.add(at)
        found.append(nodes[at])
        at = nodes[at].get("parent")
    return found[::-1]


def _read_turn(node: Mapping[str, Any], talk_id: str) -> Turn | None:
    message = node.get("message")
    if not isinstance(message, Mapping):
        return None
    author, content = message.get("author"), message.get("content")
    if not isinstance(author, Mapping) or not isinstance(content, Mapping):
        return None
    role = SPEAKERS.get(str(author.get("role")))
    parts = content.get("parts")
    said = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    text = "\n".join(said).strip()
    if role is None or not text:
        return None
    return Turn(role, text, read_moment(message.get("create_time")), talk_id)


IMPORTER = Importer("a data export of ChatGPT", recognise, read)
