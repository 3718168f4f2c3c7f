"""memory_get: one memory with everything about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, Field

from glymph.plain import plain
from glymph.tools import data
from glymph.tools.arguments import Paged
from glymph.tools.blocks import Line, format_cell, render_facts
from glymph.tools.brief import brief_memory
from glymph.tools.contract import MEMORY, Tool
from glymph.tools.render import Blocks, render_changes

if TYPE_CHECKING:
    from glymph.client import Glymph


SHOWN = (
    "id", "space", "kind", "section", "state", "lifecycle", "retrievability", "stability",
    "access_count", "pinned", "protected", "created_at", "last_used_at", "event_at", "expires_at",
    "superseded_by", "version",
)  # fmt: skip


class GetArguments(Paged):
    id: str = Field(description="The memory's id.", json_schema_extra=MEMORY)
    at: AwareDatetime | None = Field(None, description="As it stood at this ISO 8601 time.")
    history: bool = Field(False, description="Also everything that ever happened to it.")


def run(glymph: Glymph, args: GetArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = {"memory": data.dump_memory(glymph.get(args.id, at=args.at))}
    if args.at is None:
        result["links"] = plain(glymph.edges(args.id))
    if args.history:
        result["history"] = plain(glymph.history(args.id))
    return result


def render(result: Mapping[str, Any]) -> Blocks:
    memory = result["memory"]
    yield Line(format_cell(memory["title"]), "bold")
    if memory["text"] != memory["title"]:
        yield Line(memory["text"])
    yield from render_facts(
        {name: memory[name] for name in SHOWN if memory[name] not in (None, False)}
    )
    if memory["tags"]:
        yield Line(f"tags: {format_cell(', '.join(memory['tags']))}")
    for edge in result.get("links", ()):
        away = edge["source"] == memory["id"]
        other = edge["target"] if away else edge["source"]
        yield Line(f"{'→' if away else '←'} {edge['type']} {edge['weight']:.2f}  {other}")
    yield render_changes(result.get("history", ()))


TOOL = Tool(
    name="memory_get",
    command="get",
    description="Get one memory by id with its figures, links and, if asked, its whole history.",
    arguments=GetArguments,
    run=run,
    brief=brief_memory,
    profile="core",
    short=("id", "history"),
    render=render,
    read_only=True,
    idempotent=True,
)
