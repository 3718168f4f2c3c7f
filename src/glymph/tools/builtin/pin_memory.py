"""pin_memory: keep a memory safe from every clean-up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class PinArguments(Arguments):
    id: str = Field(description="The memory's id.", json_schema_extra=MEMORY)
    unpin: bool = Field(False, description="Unpin it instead.")
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: PinArguments) -> Mapping[str, Any]:
    act = glymph.unpin if args.unpin else glymph.pin
    return data.dump_receipt(act(args.id, reason=args.reason))


TOOL = Tool(
    name="pin_memory",
    command="pin",
    description="Pin a memory so that nothing archives, trashes or replaces it, or unpin it.",
    arguments=PinArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render_receipt,
    idempotent=True,
)
