"""The MCP server: every tool of a profile, on the official SDK, served over stdio.

Standard output belongs to the protocol; nothing here prints.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import version
from typing import Any, Literal

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from glymph.client import Glymph
from glymph.errors import GlymphError
from glymph.mcp.answers import answer_data, answer_graph, answer_text, describe_problems, failure
from glymph.mcp.graph import graph_tools
from glymph.mcp.instructions import INSTRUCTIONS
from glymph.mcp.resources import handlers
from glymph.tools import all_tools, tools_for
from glymph.tools.contract import Profile, Tool
from glymph.tools.ids import shorten_ids
from glymph.tools.pages import MOST_BYTES, run_tool
from glymph.tools.progress import listening
from glymph.tools.wording import name_tools, name_tools_in

# Calls at once. Each may hold two of a handle's sixteen connections; with more than eight calls,
# one could wait for ever for its second connection. A call for many memories holds all of them
# until it knows which fit into the answer: 100 MB, where each is as long as may be.
AT_ONCE, LARGE_AT_ONCE = 6, 2
LARGE = 100  # memories that a call asks for
# How a server answers: in few words for a model, with the data of a run for a program, or as the
# reference server-memory does.
Answers = Literal["text", "data", "graph"]
ANSWERS: tuple[Answers, ...] = ("text", "data")
Threads = tuple[anyio.CapacityLimiter, anyio.CapacityLimiter]  # for usual and for large calls


def server_for(
    handle_for: Callable[[Any, Tool], Glymph], profile: Profile, answers: Answers = "text", *,
    threads: Threads | None = None,
) -> Server[Any]:  # fmt: skip
    """Returns a server that offers the tools of a profile.

    `handle_for` returns the handle for the call of a tool. It runs in a worker thread and gets the
    transport's request, or None over stdio; an error that it raises is the answer to the call.
    `threads` are those for usual and for large calls, where others of the process share them.
    """
    return _make_server(handle_for, tools_for(profile), profile, answers, threads)


def compat_server_for(handle_for: Callable[[Any, Tool], Glymph]) -> Server[Any]:
    """Returns a server with the tools of the reference server-memory, on our store."""
    return _make_server(handle_for, graph_tools(), "full", "graph")


def _make_server(
    handle_for: Callable[[Any, Tool], Glymph],
    tools: Mapping[str, Tool],
    profile: Profile,
    answers: Answers,
    threads: Threads | None = None,
) -> Server[Any]:
    listed = types.ListToolsResult(tools=[describe(tool, profile) for tool in tools.values()])
    usual, large = threads or (
        anyio.CapacityLimiter(AT_ONCE), anyio.CapacityLimiter(LARGE_AT_ONCE),
    )  # fmt: skip

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Any, request: types.CallToolRequestParams) -> types.CallToolResult:
        handle = partial(handle_for, context.request)
        arguments = request.arguments or {}

        def tell(done: int, total: int) -> None:
            anyio.from_thread.check_cancelled()  # ends the call, if the client gave it up
            anyio.from_thread.run(context.session.report_progress, done, total)

        def run() -> types.CallToolResult:
            anyio.from_thread.check_cancelled()
            with listening(tell):
                return answer_call(handle, tools, request.name, arguments, answers)

        # The engine is synchronous: a worker thread keeps the protocol answering meanwhile.
        limiter = large if _is_large(arguments) else usual
        return await anyio.to_thread.run_sync(run, limiter=limiter)

    look = all_tools()["memory_get"]  # reading a resource makes no space
    more = {} if answers == "graph" else handlers(lambda asked: handle_for(asked, look), usual)
    return Server(
        "glymph",
        version=version("glymph"),
        instructions=None if answers == "graph" else INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        **more,
    )


def describe(tool: Tool, profile: Profile) -> types.Tool:
    """Returns a tool as a client of a profile sees it."""
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema_for(profile),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.read_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=False,
        ),
    )


def _is_large(arguments: dict[str, Any]) -> bool:
    """Tells whether a call may ask for many memories; a number may be written as a text."""
    asked = arguments.get("limit")
    if isinstance(asked, str):
        return len(asked.strip()) > 2
    return isinstance(asked, int | float) and asked > LARGE


def answer_call(
    handle: Callable[[Tool], Glymph],
    tools: Mapping[str, Tool],
    name: str,
    arguments: dict[str, Any],
    answers: Answers = "text",
) -> types.CallToolResult:
    """Returns the tool's answer; whatever goes wrong comes back as a readable error."""
    tool = tools.get(name)
    if tool is None:
        return failure("UnknownTool", f"No tool {name!r}. There are: {', '.join(tools)}.")
    try:
        given = tool.arguments.model_validate(arguments)
        glymph = handle(tool)
        result = run_tool(tool, glymph, given, most_bytes=MOST_BYTES)
        if answers != "text":
            return answer_data(result) if answers == "data" else answer_graph(result)
        return answer_text(tool.brief(name_tools_in(shorten_ids(glymph, result), tools)))
    except ValidationError as error:
        return failure(
            f"InvalidInput ({name})", describe_problems(error, tool.arguments.model_fields)
        )
    except GlymphError as error:
        return failure(f"{error.code} ({name})", name_tools(str(error), tools))
    except Exception as error:  # the one place where a bug must not become the agent's problem
        logging.getLogger(__name__).exception("tool %s failed", name)
        bug = f"{type(error).__name__} in {name}; this is a bug in Glymph."
        return failure("InternalError", f"{bug} The server's log has the details.")


def serve(server: Server[Any]) -> None:
    """Serves one client on standard input and output until it hangs up."""

    async def run() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
