"""The tools of Glymph for any framework: their definitions, and the function that answers a call.

tools = tool_schemas("openai")                        # to send with a request
answer = call_tool(memory, "memory_add", arguments)   # when the model calls one
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from glymph.errors import GlymphError, InvalidInput
from glymph.tools import tools_for

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.tools.contract import Profile, Tool

Format = Literal["openai", "anthropic", "json"]


def tool_schemas(format: Format = "openai", profile: Profile = "core") -> list[dict[str, Any]]:
    """Returns the definitions of a profile's tools as a provider takes them.

    `openai` is the shape of chat completions, `anthropic` that of messages; `json` has the schema
    of the arguments under `parameters`, and says what a tool does to memories.
    """
    if format not in get_args(Format):
        raise InvalidInput("format", f"{format!r} is not known. Use {', '.join(get_args(Format))}.")
    return [_describe(tool, format) for tool in list_tools(profile).values()]


def list_tools(profile: Profile = "core") -> dict[str, Tool]:
    """Returns the tools of a profile by name; raises InvalidInput if there is no such profile."""
    if profile not in ("core", "curator", "full"):
        raise InvalidInput("profile", f"{profile!r} is not known. Use core, curator or full.")
    return tools_for(profile)


def _describe(tool: Tool, format: Format) -> dict[str, Any]:
    named = {"name": tool.name, "description": tool.description}
    if format == "openai":
        return {"type": "function", "function": {**named, "parameters": tool.schema}}
    if format == "anthropic":
        return {**named, "input_schema": tool.schema}
    return {
        **named, "parameters": tool.schema, "read_only": tool.read_only,
        "destructive": tool.destructive, "idempotent": tool.idempotent,
    }  # fmt: skip


def call_tool(
    glymph: Glymph, name: str, arguments: Mapping[str, Any] | str | None = None, *,
    profile: Profile = "core",
) -> str:  # fmt: skip
    """Runs a tool and returns its answer as JSON text, for the model to read.

    `arguments` are what the model gave: a mapping, or JSON text. What is wrong with a call, and
    what Glymph refuses, is the answer {"error": …, "message": …}.
    """
    from pydantic import ValidationError

    from glymph.tools.pages import MOST_BYTES, run_tool
    from glymph.tools.problems import say_problems

    tools = list_tools(profile)
    try:
        given = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments or {}
        if name not in tools:
            raise InvalidInput("name", f"there is no tool {name!r}. There are: {', '.join(tools)}.")
        checked = tools[name].arguments.model_validate(given)
        answer = run_tool(tools[name], glymph, checked, most_bytes=MOST_BYTES)
    except ValidationError as error:
        known = tools[name].arguments.model_fields
        answer = {"error": "InvalidInput", "message": say_problems(error.errors(), known)}
    except (json.JSONDecodeError, RecursionError) as error:
        answer = {"error": "InvalidInput", "message": f"The arguments are no JSON ({error})."}
    except GlymphError as error:
        answer = {"error": error.code, "message": str(error)}
    return json.dumps(answer, ensure_ascii=False)
