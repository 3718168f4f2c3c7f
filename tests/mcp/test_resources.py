"""What the server offers besides tools, and calls that take long, in both eras."""

from __future__ import annotations

import threading
from dataclasses import replace

import anyio
import pytest
from mcp import Client, MCPError
from mcp.types import PromptReference, ResourceTemplateReference

from glymph.mcp.resources import MEMORY
from glymph.mcp.server import server_for
from glymph.tools import all_tools, tools_for
from glymph.tools.progress import tell_progress
from tests.mcp.looking import TEXT, check, look_at_everything
from tests.mcp.test_server import ERAS


def talk(glymph, mode, conversation, profile="core"):
    """Runs a conversation with a server in this process."""

    async def run():
        async with Client(server_for(lambda *_: glymph, profile), mode=mode) as client:
            return await conversation(client)

    return anyio.run(run)


eras = pytest.mark.parametrize("mode", ERAS)


@eras
def test_digest_memories_and_prompt_in_this_process(glymph, mode):
    glymph.add(TEXT, kind="preference")
    check(talk(glymph, mode, look_at_everything))


@eras
@pytest.mark.parametrize("uri", ["memory://01900000-0000", "memory://nobody", "file:///etc/passwd"])
def test_a_resource_that_is_not_there_is_an_error_in_words(glymph, mode, uri):
    async def read(client):
        with pytest.raises(MCPError, match=r"No memory|No resource") as caught:
            await client.read_resource(uri)
        assert "list()" not in caught.value.message
        return await client.call_tool("memory_recall", {"query": "heron"})

    assert not talk(glymph, mode, read).is_error


@eras
def test_ids_are_completed_and_nothing_else_is(glymph, clock, mode):
    ids = []
    for number in range(30):
        clock.advance(hours=1)
        ids.append(glymph.add(f"Crate {number} is full.").id)

    async def complete(client):
        async def values(ref, value):
            found = await client.complete(ref, {"name": "id", "value": value})
            return found.completion

        memory = ResourceTemplateReference(uri=MEMORY)
        newest = await values(memory, "")
        return (
            (newest.values, newest.has_more),
            (await values(memory, ids[3][:8])).values,
            (await values(memory, "no such")).values,
            (await values(PromptReference(name="review_memory"), "")).values,
        )

    newest, one, none, prompt = talk(glymph, mode, complete)
    assert newest == (ids[:-21:-1], True)
    assert (one, none, prompt) == ([ids[3]], [], [])


@eras
def test_a_prompt_that_is_not_there_is_an_error_in_words(glymph, mode):
    async def ask(client):
        with pytest.raises(MCPError, match="There is review_memory"):
            await client.get_prompt("burn_memory", {})

    talk(glymph, mode, ask)


# progress and cancellation


def add_episodes(glymph):
    for symbol in ("BTC", "ETH", "SOL"):
        for number in range(6):
            glymph.add(
                f"Trade {number} of {symbol} closed.", kind="trade_close", tags=[symbol],
                attributes={"symbol": symbol, "pnl": 5 + number, "success": True},
            )  # fmt: skip


@eras
def test_a_long_call_tells_how_far_it_is(glymph, mode):
    add_episodes(glymph)
    heard = []

    async def consolidate(client):
        async def hear(done, total, message):
            heard.append((done, total))

        called = ("trigger_consolidation", {"grouping": ["symbol"]})
        return await client.call_tool(*called, progress_callback=hear)

    assert not talk(glymph, mode, consolidate, "full").is_error
    assert heard[-1][0] == heard[-1][1] >= 3


@eras
def test_a_call_that_is_given_up_ends_and_the_server_lives_on(glymph, mode, monkeypatch):
    """A tool that would never end by itself: it stops when its client gives it up."""
    tool = all_tools()["get_memory_health"]
    heard, ended = threading.Event(), []

    def run(handle, arguments):
        try:
            for step in range(100_000):
                heard.set()
                tell_progress(step, 100_000)
        finally:
            ended.append(step)
        return {}

    endless = {**tools_for("full"), tool.name: replace(tool, run=run)}
    monkeypatch.setattr("glymph.mcp.server.tools_for", lambda _: endless)

    async def give_up(client):
        with anyio.move_on_after(0.3):
            await client.call_tool(tool.name, {})
        answer = await client.call_tool("memory_recall", {"query": "heron"})
        return answer.is_error

    assert talk(glymph, mode, give_up, "full") is False
    assert heard.is_set()
    assert ended
    assert ended[0] < 99_999
