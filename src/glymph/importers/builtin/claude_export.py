"""A data export of Claude: conversations.json and memories.json, in a folder or an archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from glymph.errors import SourceDamaged
from glymph.importers.contract import NOT_IT, OWN, Conversation, Importer, Item
from glymph.importers.json_files import MEND, peek, read_documents
from glymph.importers.markdown_text import split_markdown
from glymph.importers.values import read_moment
from glymph.learn.transcript import SPEAKERS, Turn

FILES, MEMORIES = "conversations*.json", "memories.json"


def recognise(path: Path) -> int:
    if b'"chat_messages"' in peek(path, FILES):
        return OWN
    return OWN if b'"conversations_memory"' in peek(path, MEMORIES) else NOT_IT


def read(path: Path) -> Iterator[Item | Conversation]:
    """Yields what Claude remembers, and the conversations."""
    for name, kept in read_documents(path, MEMORIES):
        for one in kept if isinstance(kept, list) else [kept]:
            if isinstance(one, Mapping):
                yield from _read_memories(one, name)
    for name, talks in read_documents(path, FILES):
        if not isinstance(talks, list):
            raise SourceDamaged(name, "it holds no list of conversations", MEND)
        for number, talk in enumerate(talks):
            messages = talk.get("chat_messages") if isinstance(talk, Mapping) else None
            if not isinstance(messages, list):
                raise SourceDamaged(name, f"conversation {number:,} has no messages", MEND)
            talk_id = str(talk.get("uuid") or number)
            turns = [_read_turn(one, talk_id) for one in messages if isinstance(one, Mapping)]
            yield Conversation(talk_id, name, tuple(turn for turn in turns if turn is not None))


def _read_memories(kept: Mapping[str, Any], place: str) -> Iterator[Item]:
    texts = [kept.get("conversations_memory")]
    projects = kept.get("project_memories")
    texts += projects.values() if isinstance(projects, Mapping) else []
    for text in texts:
        if isinstance(text, str):
            yield from split_markdown(text, place)


def _read_turn(message: Mapping[str, Any], talk_id: str) -> Turn | None:
    role = SPEAKERS.get(str(message.get("sender")))
    content = message.get("content")
    parts = [
        part["text"]
        for part in (content if isinstance(content, list) else [])
        if isinstance(part, Mapping)
        and part.get("type") == "text"
        and isinstance(part.get("text"), str)
    ]
    text = ("\n".join(parts) or str(message.get("text") or "")).strip()
    if role is None or not text:
        return None
    return Turn(role, text, read_moment(message.get("created_at")), talk_id)


IMPORTER = Importer("a data export of Claude", recognise, read)
