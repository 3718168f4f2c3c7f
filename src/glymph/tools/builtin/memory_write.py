"""memory_write: the page an agent keeps about itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.tools import data
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import WORDS, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class WriteArguments(Arguments):
    text: str = Field(
        description="What to write, at most 600 words on the page.", json_schema_extra=WORDS
    )
    mode: Literal["replace", "append"] = Field(
        "replace", description="Replace your page, or add to its end."
    )


def run(glymph: Glymph, args: WriteArguments) -> Mapping[str, Any]:
    return {**data.dump_receipt(glymph.write(args.text, args.mode)), "page": glymph.page()}


TOOL = Tool(
    name="memory_write",
    command="write",
    description="Write your own page of notes, which is kept whole and shown at every start.",
    arguments=WriteArguments,
    run=run,
    brief=brief_receipt,
    opens_spaces=True,
    profile="curator",
    render=render_receipt,
    destructive=True,
)
