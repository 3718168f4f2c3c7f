"""memory_supersede: say what takes the place of an older statement, or take that back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.tools import data
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, WORDS, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class SupersedeArguments(Arguments):
    old: str = Field(
        description="Id of the older memory, or what it says.",
        json_schema_extra=MEMORY,
    )
    new_text: str | None = Field(
        None, description="What is true now, in full sentences.", json_schema_extra=WORDS
    )
    show_again: bool = Field(
        False, description="Instead: show the older memory again; what replaced it stays."
    )


def run(glymph: Glymph, args: SupersedeArguments) -> Mapping[str, Any]:
    if args.show_again:
        return data.dump_receipt(glymph.unsupersede(args.old))
    if args.new_text is None:
        raise InvalidInput("new_text", "what is true now? Say it in full sentences.")
    return data.dump_receipt(glymph.supersede(args.old, args.new_text))


TOOL = Tool(
    name="memory_supersede",
    command="supersede",
    description="Say what is true now in place of an older memory, which is kept and hidden.",
    arguments=SupersedeArguments,
    run=run,
    brief=brief_receipt,
    opens_spaces=True,
    profile="core",
    short=("old", "new_text"),
    render=render_receipt,
    destructive=True,
)
