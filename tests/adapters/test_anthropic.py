"""Claude's files under /memories: ours answers as the SDK's own tool for a folder on disk does."""

from __future__ import annotations

import asyncio
import json

import pytest
from anthropic import Anthropic, AsyncAnthropic
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool

from glymph import Glymph
from glymph.adapters.anthropic import AsyncMemoryTool, MemoryTool


@pytest.fixture
def memory(url):
    with Glymph.open(url, actor="agent:claude") as glymph:
        yield glymph


@pytest.fixture(params=["theirs", "ours"])
def tool(request, tmp_path, url):
    if request.param == "theirs":
        yield BetaLocalFilesystemMemoryTool(str(tmp_path / "files"))
        return
    with Glymph.open(url) as glymph:
        yield MemoryTool(glymph)


def call(tool, command, **arguments):
    return tool.call({"command": command, **arguments})


def create(tool, path="/memories/notes.md", text="First line.\nSecond line.\n"):
    return call(tool, "create", path=path, file_text=text)


def view(tool, path="/memories/notes.md", **more):
    return call(tool, "view", path=path, **more)


# What both do.


def test_a_file_is_created_viewed_and_changed(tool):
    assert create(tool) == "File created successfully at: /memories/notes.md"
    assert view(tool) == (
        "Here's the content of /memories/notes.md with line numbers:\n"
        "     1\tFirst line.\n     2\tSecond line.\n     3\t"
    )
    assert view(tool, view_range=[2, 2]).endswith(":\n     2\tSecond line.")
    assert view(tool, view_range=[2, -1]).endswith(":\n     2\tSecond line.\n     3\t")
    told = call(tool, "str_replace", path="/memories/notes.md", old_str="Second", new_str="Last")
    assert told == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     1\tFirst line.\n     2\tLast line.\n     3\t"
    )
    told = call(tool, "insert", path="/memories/notes.md", insert_line=1, insert_text="Between.\n")
    assert told == "The file /memories/notes.md has been edited."
    assert view(tool).endswith(
        ":\n     1\tFirst line.\n     2\tBetween.\n     3\tLast line.\n     4\t"
    )


@pytest.mark.parametrize("text", ["", "\n", "  ", "ok", "no end", "  indented\n\n", "Ümläut 🍋\n"])
def test_what_is_in_a_file_is_kept_as_it_is(tool, text):
    create(tool, text=text)
    lines = [line.partition("\t")[2] for line in view(tool).split("\n")[1:]]
    assert "\n".join(lines) == text


def test_an_empty_file_can_be_filled(tool):
    create(tool, text="")
    call(
        tool,
        "insert",
        path="/memories/notes.md",
        insert_line=0,
        insert_text="Now it says something.",
    )
    assert view(tool).endswith(":\n     1\tNow it says something.\n     2\t")


def test_a_folder_shows_two_levels_and_nothing_hidden(tool):
    create(tool, "/memories/a.md")
    create(tool, "/memories/people/ada.md")
    create(tool, "/memories/people/far/away/eve.md")
    create(tool, "/memories/.hidden")
    told = view(tool, "/memories")
    assert told.startswith("Here're the files and directories up to 2 levels deep in /memories, ")
    assert [line.partition("\t")[2] for line in told.split("\n")[1:]] == [
        "/memories", "/memories/a.md", "/memories/people/", "/memories/people/ada.md", "/memories/people/far/",
    ]  # fmt: skip
    assert "25B\t/memories/a.md" in told
    assert "/memories/people/ada.md" in view(tool, "/memories/people")


def test_files_and_folders_are_renamed_and_deleted(tool):
    create(tool, "/memories/people/ada.md", "Ada.")
    create(tool, "/memories/people/eve.md", "Eve.")
    told = call(tool, "rename", old_path="/memories/people", new_path="/memories/friends/old")
    assert told == "Successfully renamed /memories/people to /memories/friends/old"
    assert view(tool, "/memories/friends/old/ada.md").endswith("Ada.")
    call(tool, "rename", old_path="/memories/friends/old/ada.md", new_path="/memories/a.md")
    assert view(tool, "/memories/a.md").endswith("Ada.")
    told = call(tool, "delete", path="/memories/friends")
    assert told == "Successfully deleted /memories/friends"
    with pytest.raises(ToolError, match="does not exist"):
        view(tool, "/memories/friends/old/eve.md")
    call(tool, "delete", path="/memories/a.md")
    create(tool, "/memories/a.md", "A new one.")
    tool.clear_all_memory()
    assert view(tool, "/memories").count("\n") == 1


@pytest.mark.parametrize(
    ("command", "arguments", "says"),
    [
        ("view", {"path": "/memories/none.md"}, "does not exist"),
        ("view", {"path": "/etc/passwd"}, "must start with /memories"),
        ("view", {"path": "/memories/../secret"}, "would escape"),
        ("create", {"path": "/memories/notes.md", "file_text": "x"}, "already exists"),
        ("str_replace", {"path": "/memories/none.md", "old_str": "a", "new_str": "b"}, "does not exist"),
        ("str_replace", {"path": "/memories/dir", "old_str": "a", "new_str": "b"}, "is not a file"),
        ("str_replace", {"path": "/memories/notes.md", "old_str": "zz", "new_str": "b"}, "did not appear verbatim"),
        ("str_replace", {"path": "/memories/notes.md", "old_str": "line", "new_str": "b"}, "Multiple occurrences"),
        ("insert", {"path": "/memories/notes.md", "insert_line": 9, "insert_text": "x"}, r"range \[0, 2\]"),
        ("insert", {"path": "/memories/none.md", "insert_line": 0, "insert_text": "x"}, "does not exist"),
        ("delete", {"path": "/memories"}, "Cannot delete the /memories directory itself"),
        ("delete", {"path": "/memories/none.md"}, "does not exist"),
        ("rename", {"old_path": "/memories", "new_path": "/memories/x"}, "Cannot rename the /memories"),
        ("rename", {"old_path": "/memories/none.md", "new_path": "/memories/x"}, "does not exist"),
        ("rename", {"old_path": "/memories/notes.md", "new_path": "/memories/dir"}, "already exists"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_told_to_the_model(tool, command, arguments, says):
    create(tool)
    create(tool, "/memories/dir/a.md")
    with pytest.raises(ToolError, match=says):
        call(tool, command, **arguments)


# What is ours.


def test_every_change_is_an_operation_of_its_session_and_can_be_undone(memory):
    tool = MemoryTool(memory, session="chat-1")
    create(tool, text="Ada likes figs.")
    call(tool, "str_replace", path="/memories/notes.md", old_str="figs", new_str="plums")
    newest = memory.operations(limit=1)[0]
    assert (newest.verb, newest.actor, newest.session) == ("update", "agent:claude", "chat-1")
    memory.undo(newest.id)
    assert "figs" in view(tool)
    call(tool, "delete", path="/memories/notes.md")
    assert [one.title for one in memory.trash()] == ["memories/notes.md"]
    memory.undo()
    assert "figs" in view(tool)
    assert [hit.memory.source for hit in memory.search("figs")] == ["anthropic"]
    assert memory.verify().ok


def test_what_upkeep_archived_is_still_a_file(memory):
    tool = MemoryTool(memory)
    create(tool)
    memory.archive(memory.list()[0].id)
    assert "/memories/notes.md" in view(tool, "/memories")
    assert "First line." in view(tool)
    call(tool, "insert", path="/memories/notes.md", insert_line=0, insert_text="Back.")
    assert len(memory.list()) == 1


def test_what_the_store_refuses_is_told_to_the_model(memory):
    tool = MemoryTool(memory)
    with pytest.raises(ToolError, match="Shorten or split it"):
        create(tool, text="far too long " * 10_000)
    create(tool)
    memory.pin(memory.list()[0].id)
    with pytest.raises(ToolError, match="pinned"):
        call(tool, "delete", path="/memories/notes.md")


def reply(*content, stop="end_turn"):
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "scripted", "content": list(content),
        "stop_reason": stop, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip


def use(number, **arguments):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": "memory", "input": arguments}


REPLIES = (
    reply(use(1, command="view", path="/memories"), stop="tool_use"),
    reply(
        use(2, command="create", path="/memories/food.md", file_text="Ada likes figs."),
        stop="tool_use",
    ),
    reply(use(3, command="view", path="/memories/none.md"), stop="tool_use"),
    reply({"type": "text", "text": "I have noted it."}),
)
ASKED = {
    "model": "scripted",
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "I like figs."}],
}


def check(server, memory, last):
    assert last.content[0].text == "I have noted it."
    assert server.asked[0]["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    results = [asked["messages"][-1]["content"][0] for asked in server.asked[1:]]
    assert [one["tool_use_id"] for one in results] == ["toolu_1", "toolu_2", "toolu_3"]
    assert "File created successfully" in json.dumps(results[1]["content"])
    assert "does not exist" in json.dumps(results[2]["content"])
    assert results[2]["is_error"] is True
    (one,) = memory.list()
    assert (one.text, one.session) == ("Ada likes figs.", "chat-2")


def test_the_sdk_runs_a_tool_loop_with_it(memory, scripted):
    server = scripted(*REPLIES)
    with Anthropic(api_key="none", base_url=server.url, max_retries=0) as client:
        tools = [MemoryTool(memory, session="chat-2")]
        last = client.beta.messages.tool_runner(tools=tools, **ASKED).until_done()
    check(server, memory, last)


def test_the_awaiting_sdk_runs_a_tool_loop_with_it(memory, scripted):
    server = scripted(*REPLIES)

    async def talk():
        async with AsyncAnthropic(api_key="none", base_url=server.url, max_retries=0) as client:
            tools = [AsyncMemoryTool(memory, session="chat-2")]
            last = await client.beta.messages.tool_runner(tools=tools, **ASKED).until_done()
            await tools[0].clear_all_memory()
            memory.undo()
            return last

    check(server, memory, asyncio.run(talk()))
