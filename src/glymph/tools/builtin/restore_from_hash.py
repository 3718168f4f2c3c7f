"""restore_from_hash: bring back what a receipt's hash or a content hash stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.errors import Ambiguous
from glymph.tools import data
from glymph.tools.blocks import Line, Table
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import POSITIONAL, Arguments, Tool
from glymph.tools.render import Blocks, render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class RestoreHashArguments(Arguments):
    hash: str = Field(
        description="The hash of a receipt, or a memory's content_hash.",
        json_schema_extra=POSITIONAL,
    )


def run(glymph: Glymph, args: RestoreHashArguments) -> Mapping[str, Any]:
    try:
        return data.dump_receipt(glymph.restore_from_hash(args.hash))
    except Ambiguous as error:
        candidates = [{"id": memory_id, "title": title} for memory_id, title in error.candidates]
        return {"succeeded": [], "message": str(error), "candidates": candidates}


def render(result: Mapping[str, Any]) -> Blocks:
    if "candidates" not in result:
        yield from render_receipt(result)
        return
    yield Line(result["message"])
    yield Table(["id", "title"], [[one["id"], one["title"]] for one in result["candidates"]])


TOOL = Tool(
    name="restore_from_hash",
    command="restore-hash",
    description="Restore everything an operation archived or trashed, by the hash of its receipt.",
    arguments=RestoreHashArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render,
)
