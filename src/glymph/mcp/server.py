"""The MCP server: every tool of a profile, on the official SDK, served over stdio.

Standard output belongs to the protocol; nothing here prints.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from pydantic import ValidationError

from glymph.client import Glymph
from glymph.errors import GlymphError
from glymph.text.controls import escape_controls, remove_controls
from glymph.tools import tools_for
from glymph.tools.contract import Profile, Tool
from glymph.tools.pages import MOST_BYTES, run_tool

# Calls at once. Each may hold two of a handle's sixteen connections; with more than eight calls,
# one could wait for ever for its second connection. A call for many memories holds all of them
# until it knows which fit into the answer: 100 MB, where each is as long as may be.
AT_ONCE, LARGE_AT_ONCE = 6, 2
LARGE = 100  # memories that a call asks for
LONGEST_ERROR = 2000  # a message may quote what was sent; an agent need not read all of it again
INSTRUCTIONS = (
    "Glymph is your long-term memory. Recall before you answer from memory, and report which "
    "memories helped: only that keeps them from fading. Add what is worth knowing in later "
    "conversations. Lessons from what you did appear by themselves while you sleep: memory_get "
    "shows what one rests on, and reporting it as contradicted, or adding the episode that shows "
    "otherwise, corrects its counts. What you delete waits in the trash for a while, and until it "
    "is emptied undo_operation takes that back; what is purged is gone for good."
)


def server_for(
    handle_for: Callable[[Any, Tool], Glymph], profile: Profile, *,
    threads: tuple[anyio.CapacityLimiter, anyio.CapacityLimiter] | None = None,
) -> Server[Any]:  # fmt: skip
    """Returns a server that offers the tools of a profile.

    `handle_for` returns the handle for the call of a tool. It runs in a worker thread and gets the
    transport's request, or None over stdio; an error that it raises is the answer to the call.
    `threads` are those for usual and for large calls, where others of the process share them.
    """
    tools = tools_for(profile)
    listed = types.ListToolsResult(tools=[_describe(tool) for tool in tools.values()])
    usual, large = threads or (
        anyio.CapacityLimiter(AT_ONCE), anyio.CapacityLimiter(LARGE_AT_ONCE),
    )  # fmt: skip

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return listed

    async def call_tool(context: Any, request: types.CallToolRequestParams) -> types.CallToolResult:
        handle = partial(handle_for, context.request)
        arguments = request.arguments or {}
        # The engine is synchronous: a worker thread keeps the protocol answering meanwhile.
        return await anyio.to_thread.run_sync(
            answer_call, handle, tools, request.name, arguments,
            limiter=large if _is_large(arguments) else usual,
        )  # fmt: skip

    return Server(
        "glymph",
        version=version("glymph"),
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _describe(tool: Tool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema,
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
    handle: Callable[[Tool], Glymph], tools: dict[str, Tool], name: str, arguments: dict[str, Any]
) -> types.CallToolResult:
    """Returns the tool's answer; whatever goes wrong comes back as a readable error."""
    tool = tools.get(name)
    if tool is None:
        return _failure(
            {"error": "UnknownTool", "message": f"No tool {name!r}. There are: {', '.join(tools)}."}
        )
    try:
        given = tool.arguments.model_validate(arguments)
        result = run_tool(tool, handle(tool), given, most_bytes=MOST_BYTES)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in error.errors()
        ]
        return _failure({"error": "InvalidInput", "message": "; ".join(problems)})
    except GlymphError as error:
        return _failure({"error": error.code, "message": str(error)})
    except Exception as error:  # the one place where a bug must not become the agent's problem
        logging.getLogger(__name__).exception("tool %s failed", name)
        bug = f"{type(error).__name__} in {name}; this is a bug in Glymph."
        message = f"{bug} The server's log has the details."
        return _failure({"error": "InternalError", "message": message})
    text = escape_controls(json.dumps(result, ensure_ascii=False))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)], structured_content=result
    )


def _failure(problem: dict[str, Any]) -> types.CallToolResult:
    text = remove_controls(f"{problem['error']}: {problem['message']}")
    text = text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 1] + "…"
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)


def serve(glymph: Glymph, profile: Profile) -> None:
    """Serves one client on standard input and output until it hangs up."""

    async def run() -> None:
        server = server_for(lambda *_: glymph, profile)
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    anyio.run(run)
