"""restore_memory: back from the archive or the trash."""

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


class RestoreArguments(Arguments):
    ids: Texts = Field(
        min_length=1,
        description="Ids of memories to bring back.",
        json_schema_extra=MEMORY,
    )
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: RestoreArguments) -> Mapping[str, Any]:
    return data.dump_receipt(glymph.restore(args.ids, reason=args.reason))


TOOL = Tool(
    name="restore_memory",
    command="restore-memory",
    description="Bring archived or trashed memories back to life.",
    arguments=RestoreArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render_receipt,
    idempotent=True,
)
