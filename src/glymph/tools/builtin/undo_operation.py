"""undo_operation: take a whole operation back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.contract import POSITIONAL, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class UndoArguments(Arguments):
    operation_id: str | None = Field(
        None,
        description="Which operation; left out: your newest one that still stands.",
        json_schema_extra=POSITIONAL,
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
    profile="curator",
    render=render_receipt,
    destructive=True,
)
