"""merge_memories: several memories become one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class MergeArguments(Arguments):
    ids: Texts = Field(
        description="Ids of the memories that become one.",
        json_schema_extra=MEMORY,
    )
    text: str | None = Field(
        None, description="What it says; left out: what they say, each thing once."
    )
    title: str | None = Field(None, description="Its title; taken from the text when left out.")
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: MergeArguments) -> Mapping[str, Any]:
    return data.dump_receipt(glymph.merge(**args.model_dump()))


TOOL = Tool(
    name="merge_memories",
    command="merge",
    description="Make one memory of several; they are kept, chained to it and out of recall, and "
    "undo parts them.",
    arguments=MergeArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render_receipt,
    destructive=True,
)
