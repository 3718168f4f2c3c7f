"""LangChain: messages come back as they were, and tools answer the model."""

from __future__ import annotations

import asyncio
import json

import pytest
from langchain_core.chat_history import BaseChatMessageHistory
from langchain_core.messages import (
    AIMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langchain_core.runnables import RunnableLambda

from glymph import Glymph
from glymph.adapters.langchain import GlymphChatHistory, langchain_tools

MESSAGES = [
    SystemMessage("Be brief.", id="s1"),
    HumanMessage([{"type": "text", "text": "When do the lamps leave?"}], id="h1", name="Ada"),
    AIMessage(
        "", id="a1", tool_calls=[{"name": "memory_search", "args": {"query": "lamps"}, "id": "c1"}],
        response_metadata={"model": "scripted"},
        usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3},
    ),
    ToolMessage("[]", tool_call_id="c1", artifact={"n": 1}),
    FunctionMessage("[]", name="older"),
    AIMessage("On Tuesday.", id="a2"),
]  # fmt: skip


@pytest.fixture
def memory(url):
    with Glymph.open(url, actor="agent:chain") as glymph:
        yield glymph


def test_messages_of_every_kind_come_back_as_they_were(memory):
    history = GlymphChatHistory(memory, "talk-1")
    assert isinstance(history, BaseChatMessageHistory)
    assert history.messages == []
    history.add_messages(MESSAGES[:2])
    history.add_messages(MESSAGES[2:])
    assert history.messages == MESSAGES
    assert GlymphChatHistory(memory, "talk-1").messages == MESSAGES
    assert GlymphChatHistory(memory, "talk-2").messages == []
    assert "Human: " in str(history)


def test_a_cleared_history_is_empty_and_goes_on(memory):
    history = GlymphChatHistory(memory, "talk-1")
    history.clear()
    history.add_messages(MESSAGES)
    history.clear()
    assert history.messages == []
    history.add_user_message("Hello again.")
    history.add_ai_message("Hello.")
    assert [one.content for one in history.messages] == ["Hello again.", "Hello."]


def test_it_can_be_awaited(memory):
    async def use():
        history = GlymphChatHistory(memory, "talk-1")
        await history.aadd_messages(MESSAGES)
        assert await history.aget_messages() == MESSAGES
        await history.aclear()
        assert await history.aget_messages() == []

    asyncio.run(use())


def test_the_conversation_is_one_that_glymph_builds_prompts_of_and_others_write_to(memory):
    history = GlymphChatHistory(memory, "talk-1")
    history.add_messages(MESSAGES[1:4])
    memory.conversations().append("talk-1", {"role": "assistant", "content": "From elsewhere."})
    assert history.messages[-1] == AIMessage("From elsewhere.")
    built = memory.conversations().build_messages("talk-1", "And now?")
    assert [one["role"] for one in built][-2:] == ["assistant", "user"]
    assert any(one.get("tool_calls") for one in built)


def test_what_is_purged_is_gone_from_the_conversation(memory, tmp_path):
    history = GlymphChatHistory(memory, "talk-1")
    history.add_messages([
        HumanMessage("Write to ada.lovelace@example.org."),
        AIMessage("", tool_calls=[{"name": "mail", "args": {"to": "ada.lovelace@example.org"}, "id": "1"}]),
        AIMessage("Done.", response_metadata={"to": "ada.lovelace@example.org"}),
    ])  # fmt: skip
    memory.conversations.erase("ada.lovelace@example.org", apply=True)
    assert [p for p in tmp_path.rglob("*") if p.is_file() and b"lovelace" in p.read_bytes()] == []
    assert "lovelace" not in str([one.model_dump() for one in history.messages])


def test_tools_are_called_by_the_calls_of_a_message(memory):
    tools = {tool.name: tool for tool in langchain_tools(memory)}
    assert {"memory_add", "memory_search", "undo_operation"} <= tools.keys()
    assert "text" in tools["memory_add"].args
    call = {
        "type": "tool_call",
        "name": "memory_add",
        "id": "c1",
        "args": {"text": "The lamps leave on Tuesday."},
    }
    told = tools["memory_add"].invoke(call)
    assert isinstance(told, ToolMessage)
    assert json.loads(told.content)["created"] is True
    found = asyncio.run(tools["memory_search"].ainvoke({"query": "lamps", "limit": 2}))
    assert json.loads(found)["hits"][0]["text"] == "The lamps leave on Tuesday."
    assert json.loads(tools["memory_search"].invoke({"limit": 2}))["error"] == "InvalidInput"
    assert json.loads(tools["memory_get"].invoke({"id": "unknown"}))["error"]
    assert memory.operations(verb="add")[0].actor == "agent:chain"
    assert len(langchain_tools(memory, "full")) > len(tools)


def test_a_chain_with_a_history_remembers_what_was_said(memory):
    """As the docs of LangChain wire a history by hand: read, answer, write."""

    def answer(said):
        history = GlymphChatHistory(memory, "talk-1")
        reply = AIMessage(f"You have spoken {len(history.messages) // 2 + 1} times.")
        history.add_messages([HumanMessage(said), reply])
        return reply.content

    chain = RunnableLambda(answer)
    assert [chain.invoke(text) for text in ("One.", "Two.")] == [
        "You have spoken 1 times.", "You have spoken 2 times.",
    ]  # fmt: skip
