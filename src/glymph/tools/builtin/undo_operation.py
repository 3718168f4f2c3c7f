"""undo_operation: take a whole operation back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import Arguments, Tool, ids_of
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class UndoArguments(Arguments):
    operation_id: str | None = Field(
        None,
        description="Which operation; left out: your newest that stands, reports and repeated "
        "adds passed over.",
        json_schema_extra=ids_of("operation", positional=True),
    )
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: UndoArguments) -> Mapping[str, Any]:
    return data.dump_receipt(glymph.undo(args.operation_id, reason=args.reason))


TOOL = Tool(
    name="undo_operation",
    command="undo",
    description="Undo an operation whole; what was changed since is left alone and named. Can "
    "itself be undone.",
    arguments=UndoArguments,
    run=run,
    brief=brief_receipt,
    profile="core",
    short=("operation_id",),
    render=render_receipt,
    destructive=True,
)
