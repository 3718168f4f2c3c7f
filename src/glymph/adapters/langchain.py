"""LangChain: the messages of a session as a chat history, and Glymph's tools.

    history = GlymphChatHistory(memory, "talk-1")
    agent = create_agent(model, tools=langchain_tools(memory))

The messages are a conversation of Glymph's (`transcript`): each has its role and words there, and
beside them what else LangChain knows of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from glymph.adapters.extras import needs
from glymph.adapters.schema import call_tool, list_tools
from glymph.adapters.transcript import Transcript
from glymph.client import Glymph
from glymph.tools.contract import Profile

with needs("langchain"):
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.tools import BaseTool, StructuredTool

REST = "langchain"  # what LangChain knows of a message besides its words
ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}


class GlymphChatHistory(BaseChatMessageHistory):
    """The messages of one session."""

    def __init__(self, glymph: Glymph, session_id: str) -> None:
        self.session_id = session_id
        self._transcript = Transcript(glymph, session_id)

    @property
    def messages(self) -> list[BaseMessage]:  # type: ignore[override]
        """Every message that was not cleared, oldest first."""
        return [_load(one) for one in self._transcript.read()]

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Adds messages, durably."""
        self._transcript.append([_dump(one) for one in messages])

    def clear(self) -> None:
        """Takes every message back. They stay in the transcript, which is not read for them."""
        self._transcript.take_back(lambda count: count)


def _dump(message: BaseMessage) -> dict[str, Any]:
    whole = json.loads(json.dumps(message_to_dict(message), default=str))
    content = whole["data"].pop("content")
    told: dict[str, Any] = {
        "role": ROLES.get(message.type, "user"),
        "content": content,
        REST: whole,
    }
    if told["role"] == "tool":
        told["tool_call_id"] = whole["data"].get("tool_call_id")
    if calls := whole["data"].get("tool_calls"):
        told["tool_calls"] = [
            {"id": one["id"], "type": "function",
             "function": {"name": one["name"], "arguments": json.dumps(one["args"])}}
            for one in calls
        ]  # fmt: skip
    return told


def _load(told: dict[str, Any]) -> BaseMessage:
    """Returns a message; one that something else wrote into the session by its role and words."""
    if REST not in told:
        kind = {role: kind for kind, role in ROLES.items()}.get(told.get("role", ""), "human")
        told = {"content": told.get("content") or "", REST: {"type": kind, "data": {"type": kind}}}
        if kind == "tool":
            told[REST]["data"]["tool_call_id"] = ""
    whole = told[REST]
    return messages_from_dict(
        [{**whole, "data": {**whole["data"], "content": told["content"]}}]
    )[0]  # fmt: skip


def langchain_tools(glymph: Glymph, profile: Profile = "core") -> list[BaseTool]:
    """Returns the tools of a profile; what goes wrong in one is an answer for the model to read."""
    return [
        StructuredTool.from_function(
            func=_answer(glymph, tool.name, profile), name=tool.name, description=tool.description,
            args_schema=tool.schema,
        )
        for tool in list_tools(profile).values()
    ]  # fmt: skip


def _answer(glymph: Glymph, name: str, profile: Profile) -> Callable[..., str]:
    def call(**arguments: Any) -> str:
        return call_tool(glymph, name, arguments, profile=profile)

    return call
