"""Answers to calls as the protocol carries them."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from mcp import types
from pydantic import ValidationError

from glymph.text.controls import escape_controls, remove_controls
from glymph.tools.problems import say_problems

LONGEST_ERROR = 2000  # a message may quote what was sent; an agent need not read all of it again


def answer_text(text: str) -> types.CallToolResult:
    """Returns an answer in words, and in nothing else: a host shows a model both, if both are."""
    return types.CallToolResult(content=[_text(remove_controls(text))])


def answer_data(result: Mapping[str, Any]) -> types.CallToolResult:
    """Returns an answer as data for a program, and as the same JSON for one that reads texts."""
    text = escape_controls(json.dumps(result, ensure_ascii=False))
    return types.CallToolResult(content=[_text(text)], structured_content=dict(result))


def answer_graph(result: Mapping[str, Any]) -> types.CallToolResult:
    """Returns an answer as the reference server-memory gives it.

    Its text is the message of a deletion, the list of what was made, or the whole graph.
    """
    said = result.get("message") or (next(iter(result.values())) if len(result) == 1 else result)
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False, indent=2)
    return types.CallToolResult(
        content=[_text(escape_controls(text))], structured_content=dict(result)
    )


def failure(kind: str, message: str) -> types.CallToolResult:
    """Returns what went wrong, and what to do next, in words."""
    text = remove_controls(f"{kind}: {message}")
    text = text if len(text) <= LONGEST_ERROR else text[: LONGEST_ERROR - 1] + "…"
    return types.CallToolResult(content=[_text(text)], is_error=True)


def describe_problems(error: ValidationError, known: Collection[str]) -> str:
    """Returns what is wrong with arguments, field by field; `known` are those of the tool."""
    return say_problems(error.errors(), known)


def _text(text: str) -> types.TextContent:
    return types.TextContent(type="text", text=text)
