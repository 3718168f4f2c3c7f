"""memory_link: join two memories, or part them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.tools import data
from glymph.tools.arguments import LinkType
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class LinkArguments(Arguments):
    source: str = Field(
        description="Id of the memory the link starts at.",
        json_schema_extra=MEMORY,
    )
    target: str = Field(
        description="Id of the memory it points to.",
        json_schema_extra=MEMORY,
    )
    type: LinkType = Field("user_linked", description="What the link means.")
    weight: float | None = Field(
        None, gt=0, le=1, description="Strength; each type has its own default."
    )
    remove: bool = Field(False, description="Remove the link instead of making it.")


def run(glymph: Glymph, args: LinkArguments) -> Mapping[str, Any]:
    if args.source == args.target:
        raise InvalidInput("target", "a memory cannot be linked to itself. Name another one.")
    if args.remove:
        return data.dump_receipt(glymph.unlink(args.source, args.target, args.type))
    return data.dump_receipt(glymph.link(args.source, args.target, args.type, args.weight))


TOOL = Tool(
    name="memory_link",
    command="link",
    description="Link two memories so that one helps to recall the other, or remove such a link.",
    arguments=LinkArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render_receipt,
    destructive=True,
    idempotent=True,
)
