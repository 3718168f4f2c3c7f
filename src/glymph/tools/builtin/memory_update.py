"""memory_update: correct what a memory says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import AwareDatetime, Field

from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class UpdateArguments(Arguments):
    id: str = Field(description="The memory's id.", json_schema_extra=MEMORY)
    text: str | None = Field(None, description="The new text.")
    title: str | None = Field(None, description="The new title.")
    kind: str | None = Field(None, description="The new kind.")
    tags: Texts | None = Field(None, description="The new tags, replacing the old ones.")
    entities: Texts | None = Field(None, description="The new entities, replacing the old ones.")
    attributes: dict[str, Any] | None = Field(
        None, description="The new attributes, replacing the old ones."
    )
    event_at: AwareDatetime | None = Field(None, description="When it happened.")
    expires_at: AwareDatetime | None = Field(None, description="When it stops being true.")
    salience: float | None = Field(None, ge=0, le=1, description="How much it matters, 0 to 1.")
    trust: float | None = Field(
        None, ge=0, le=1, description="How far the source can be trusted, 0 to 1."
    )
    source: str | None = Field(None, description="Where it comes from.")
    reason: str | None = Field(None, description="Why it is changed.")


def run(glymph: Glymph, args: UpdateArguments) -> Mapping[str, Any]:
    fields = args.model_dump(exclude_none=True)
    return data.dump_receipt(glymph.update(fields.pop("id"), **fields))


TOOL = Tool(
    name="memory_update",
    command="update",
    description="Correct a memory; the old wording stays in its history and can be brought back.",
    arguments=UpdateArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render_receipt,
    destructive=True,
    idempotent=True,
    keep_chars=150,
)
