"""LlamaIndex: a block of its `Memory` that recalls from Glymph, and learns what leaves the window.

    block = GlymphMemoryBlock(glymph=handle)
    memory = Memory.from_defaults(session_id="talk-1", memory_blocks=[block])

What is recalled is put before the model as records between marks, and logged as shown. Messages
that fall out of the short-term memory are read for what will matter later (`Glymph.extract`): by
the language model of the handle, else its reader, else by rules.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from glymph.adapters.extras import needs
from glymph.client import Glymph
from glymph.text.shown import INTRODUCTION, SHOWN_FROM, SHOWN_TO, line
from glymph.text.tokens import tokens

with needs("llamaindex"):
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.bridge.pydantic import Field
    from llama_index.core.memory import BaseMemoryBlock

LOOKED_AT = 3  # newest messages of the user that say what is asked for


class GlymphMemoryBlock(BaseMemoryBlock[str]):
    """A memory block on one space of Glymph."""

    name: str = Field(default="Remembered", description="The name of the block.")
    glymph: Glymph = Field(description="The handle.", exclude=True)
    limit: int = Field(default=5, description="How many memories are shown at most.")

    async def _aget(
        self, messages: list[ChatMessage] | None = None, **block_kwargs: Any
    ) -> str:  # fmt: skip
        """Returns what answers the newest messages of the user; nothing if nothing does."""
        asked = [
            one.content for one in messages or () if one.role == MessageRole.USER and one.content
        ]
        if not asked:
            return ""
        query = "\n".join(asked[-LOOKED_AT:])
        recalled = await asyncio.to_thread(self.glymph.recall, query, limit=self.limit)
        return _frame(line(hit.memory.text) for hit in recalled)

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Learns from messages, each under its session."""
        for session, part in groupby(messages, lambda one: one.additional_kwargs.get("session_id")):
            turns = [{"role": one.role.value, "content": one.content or ""} for one in part]
            await asyncio.to_thread(self.glymph.extract, turns, session=session)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Leaves out the last of what is shown until it is shorter by so much, or all of it."""
        shown = content.split("\n")[2:-1]
        most = tokens(content) - tokens_to_truncate
        while shown and tokens(_frame(shown)) > most:
            shown.pop()
        return _frame(shown) or None


def _frame(lines: Iterable[str]) -> str:
    shown: Sequence[str] = list(lines)
    return "\n".join((SHOWN_FROM, INTRODUCTION, *shown, SHOWN_TO)) if shown else ""
