"""OpenAI Agents SDK: a session that Glymph keeps, and Glymph's tools as function tools.

    session = GlymphSession("talk-1", memory)
    agent = Agent(name="…", tools=function_tools(memory))
    await Runner.run(agent, "…", session=session)

The session's items are a conversation of Glymph's (`transcript`).
"""

from __future__ import annotations

import asyncio
from typing import Any

from glymph.adapters.extras import needs
from glymph.adapters.schema import call_tool, list_tools
from glymph.adapters.transcript import Transcript
from glymph.client import Glymph
from glymph.errors import InvalidInput
from glymph.tools.contract import Profile, Tool

with needs("openai-agents"):
    from agents import FunctionTool, SessionSettings
    from agents.memory.session import SessionABC


class GlymphSession(SessionABC):
    """The items of one conversation with an agent."""

    def __init__(
        self, session_id: str, glymph: Glymph, *, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._transcript = Transcript(glymph, session_id)
        self._lock = asyncio.Lock()

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """Returns the items, oldest first; with a limit, the newest ones."""
        settings = self.session_settings
        most = limit if limit is not None else settings.limit if settings else None
        if most is not None and most < 0:
            raise InvalidInput("limit", "pass a whole number, not below 0.")
        items = await asyncio.to_thread(self._transcript.read)
        return items if most is None else items[len(items) - min(most, len(items)) :]

    async def add_items(self, items: list[Any]) -> None:
        async with self._lock:
            await asyncio.shield(asyncio.to_thread(self._transcript.append, items))

    async def pop_item(self) -> Any | None:
        """Takes the newest item back and returns it; None if there is none."""
        async with self._lock:
            taken = await asyncio.to_thread(self._transcript.take_back, lambda count: min(count, 1))
        return taken[0] if taken else None

    async def clear_session(self) -> None:
        """Takes every item back. They stay in the transcript, which is not read for them."""
        async with self._lock:
            await asyncio.to_thread(self._transcript.take_back, lambda count: count)


def function_tools(glymph: Glymph, profile: Profile = "core") -> list[FunctionTool]:
    """Returns the tools of a profile; what goes wrong in one is an answer for the model to read."""
    return [_make_tool(glymph, tool, profile) for tool in list_tools(profile).values()]


def _make_tool(glymph: Glymph, tool: Tool, profile: Profile) -> FunctionTool:
    async def call(_: Any, arguments: str) -> str:
        return await asyncio.to_thread(call_tool, glymph, tool.name, arguments, profile=profile)

    return FunctionTool(
        name=tool.name, description=tool.description, params_json_schema=tool.schema,
        on_invoke_tool=call, strict_json_schema=False,
    )  # fmt: skip
