"""OpenAI Agents SDK: the contract of a session, kept by its SQLiteSession and by ours; a tool loop."""

from __future__ import annotations

import asyncio
import json

import pytest
from agents import Agent, OpenAIResponsesModel, Runner, SessionSettings, SQLiteSession
from agents.memory import Session
from agents.tracing import set_tracing_disabled
from openai import AsyncOpenAI

from glymph import Glymph
from glymph.adapters.openai_agents import GlymphSession, function_tools
from glymph.errors import InvalidInput

set_tracing_disabled(True)

ITEMS = [
    {"role": "user", "content": "When do the lamps leave?"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look it up."}]},
    {"type": "function_call", "call_id": "c1", "name": "memory_search", "arguments": '{"query": "lamps"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "[]"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "x"}},
    {"type": "message", "role": "assistant", "id": "msg_1", "status": "completed",
     "content": [{"type": "output_text", "text": "On Tuesday.", "annotations": []}]},
    {"role": "developer", "content": [{"type": "input_text", "text": "Be brief."}]},
]  # fmt: skip


@pytest.fixture
def memory(url):
    with Glymph.open(url, actor="agent:lamps") as glymph:
        yield glymph


@pytest.fixture(params=["theirs", "ours"])
def make(request, memory, tmp_path):
    made = []

    def session(name="talk-1", **options):
        if request.param == "ours":
            return GlymphSession(name, memory, **options)
        made.append(SQLiteSession(name, tmp_path / "theirs.db", **options))
        return made[-1]

    yield session
    for one in made:
        one.close()


def test_items_come_back_as_they_were_in_order(make):
    async def use():
        session = make()
        assert isinstance(session, Session)
        assert await session.get_items() == []
        await session.add_items(ITEMS[:3])
        await session.add_items([])
        await session.add_items(ITEMS[3:])
        assert await session.get_items() == ITEMS
        assert await session.get_items(limit=2) == ITEMS[-2:]
        assert await session.get_items(limit=50) == ITEMS
        assert await make().get_items() == ITEMS  # another object of the same session
        assert await make("talk-2").get_items() == []

    asyncio.run(use())


def test_the_newest_item_is_popped(make):
    async def use():
        session = make()
        assert await session.pop_item() is None
        await session.add_items(ITEMS)
        assert await session.pop_item() == ITEMS[-1]
        assert await session.pop_item() == ITEMS[-2]
        await session.add_items([{"role": "user", "content": "Thanks."}])
        assert await session.get_items() == [*ITEMS[:-2], {"role": "user", "content": "Thanks."}]
        assert await session.pop_item() == {"role": "user", "content": "Thanks."}
        assert await session.pop_item() == ITEMS[-3]

    asyncio.run(use())


def test_a_cleared_session_is_empty_and_goes_on(make):
    async def use():
        session = make()
        await session.clear_session()
        await session.add_items(ITEMS)
        await session.clear_session()
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items(ITEMS[:1])
        assert await session.get_items() == ITEMS[:1]

    asyncio.run(use())


def test_settings_limit_what_is_got(make):
    async def use():
        session = make(session_settings=SessionSettings(limit=2))
        await session.add_items(ITEMS)
        assert await session.get_items() == ITEMS[-2:]
        assert await session.get_items(limit=1) == ITEMS[-1:]

    asyncio.run(use())


def test_items_added_at_once_are_all_there(make):
    async def use():
        session = make()
        said = [{"role": "user", "content": f"Message number {number}."} for number in range(12)]
        await asyncio.gather(*(session.add_items([one]) for one in said))
        assert sorted(one["content"] for one in await session.get_items()) == sorted(
            one["content"] for one in said
        )

    asyncio.run(use())


# What is ours.


def test_the_session_is_a_conversation_that_is_listed_and_purged(memory, tmp_path):
    async def use():
        session = GlymphSession("talk-1", memory)
        await session.add_items([{"role": "user", "content": "Write to ada.lovelace@example.org."}])
        await session.add_items([{"type": "made_up", "text": "ada.lovelace@example.org"}])
        assert [one.session for one in memory.conversations.every()] == ["talk-1"]
        memory.forget("ada.lovelace@example.org", mode="purge", apply=True)
        memory.conversations.erase("ada.lovelace@example.org", apply=True)
        assert "lovelace" not in json.dumps(await session.get_items())
        left = [p for p in tmp_path.rglob("*.jsonl") if b"lovelace" in p.read_bytes()]
        assert left == []

    asyncio.run(use())


def test_a_limit_below_nought_is_refused(memory):
    with pytest.raises(InvalidInput, match="limit"):
        asyncio.run(GlymphSession("talk-1", memory).get_items(limit=-1))


def response(*output):
    return {
        "id": "resp_1", "object": "response", "created_at": 1, "model": "scripted", "output": list(output),
        "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "status": "completed",
        "usage": {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                  "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}},
    }  # fmt: skip


def calling(number, name, **arguments):
    return response({
        "type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name,
        "arguments": json.dumps(arguments), "status": "completed",
    })  # fmt: skip


def saying(text):
    part = {"type": "output_text", "text": text, "annotations": []}
    return response(
        {
            "type": "message",
            "id": "msg_1",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }
    )


def test_an_agent_remembers_by_its_tools_and_its_session(memory, scripted):
    server = scripted(
        calling(1, "memory_add", text="The lamps for Bergen leave on Tuesday.", kind="fact"),
        calling(2, "memory_search", query="lamps", limit="many"),
        calling(3, "memory_search", query="lamps"),
        saying("They leave on Tuesday."),
        saying("As I said, on Tuesday."),
    )

    async def talk():
        async with AsyncOpenAI(api_key="none", base_url=server.url, max_retries=0) as client:
            model = OpenAIResponsesModel("scripted", client)
            agent = Agent("Lamps", model=model, tools=function_tools(memory))
            session = GlymphSession("talk-1", memory)
            first = await Runner.run(agent, "When do the lamps leave?", session=session)
            second = await Runner.run(agent, "Again?", session=session)
            return first.final_output, second.final_output

    assert asyncio.run(talk()) == ("They leave on Tuesday.", "As I said, on Tuesday.")
    offered = {tool["name"]: tool for tool in server.asked[0]["tools"]}
    assert {"memory_add", "memory_search", "undo_operation"} <= offered.keys()
    assert offered["memory_add"]["parameters"]["required"] == ["text"]
    outputs = [
        one["output"]
        for one in server.asked[3]["input"]
        if one.get("type") == "function_call_output"
    ]
    assert json.loads(outputs[0])["created"] is True
    assert json.loads(outputs[1])["error"] == "InvalidInput"
    assert "limit" in json.loads(outputs[1])["message"]
    assert "Bergen" in outputs[2]
    assert [one.get("content") for one in server.asked[4]["input"] if one.get("role") == "user"] == [
        "When do the lamps leave?", "Again?",
    ]  # fmt: skip
    assert len(memory.list()) == 1
    assert memory.operations(verb="add")[0].actor == "agent:lamps"
    memory.undo(memory.operations(verb="add")[0].id)
    assert len(memory.list()) == 0
