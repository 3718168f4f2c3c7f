"""memory_get: one memory with everything about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, Field

from glymph.plain import plain
from glymph.tools import shapes
from glymph.tools.contract import POSITIONAL, Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class GetArguments(Arguments):
    id: str = Field(description="The memory's id.", json_schema_extra=POSITIONAL)
    at: AwareDatetime | None = Field(None, description="As it stood at this ISO 8601 time.")
    history: bool = Field(False, description="Also everything that ever happened to it.")


def run(glymph: Glymph, args: GetArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = {"memory": shapes.full(glymph.get(args.id, at=args.at))}
    if args.at is None:
        result["links"] = plain(glymph.edges(args.id))
    if args.history:
        result["history"] = plain(glymph.history(args.id))
    return result


TOOL = Tool(
    name="memory_get",
    command="get",
    description="Get one memory by id with its figures, links and, if asked, its whole history.",
    arguments=GetArguments,
    run=run,
    profile="core",
    read_only=True,
    idempotent=True,
)
