"""memory_delete: a few named memories into the archive or the trash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.errors import MemoryNotFound
from glymph.tools import shapes
from glymph.tools.arguments import Texts
from glymph.tools.contract import POSITIONAL, Arguments, Tool

if TYPE_CHECKING:
    from glymph.facade import Glymph

MOST = 5


class DeleteArguments(Arguments):
    ids: Texts = Field(
        min_length=1,
        max_length=MOST,
        description="Ids of one to five memories.",
        json_schema_extra=POSITIONAL,
    )
    action: Literal["archive", "delete"] = Field(
        "delete", description="archive: hidden, kept for ever; delete: trash, recoverable for 30 days."
    )
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: DeleteArguments) -> Mapping[str, Any]:
    act = glymph.archive if args.action == "archive" else glymph.delete
    return shapes.receipt(act(args.ids, reason=args.reason))


def preview(glymph: Glymph, args: DeleteArguments) -> Mapping[str, Any]:
    found, missing = [], []
    for memory_id in args.ids:
        try:
            found.append(shapes.brief(glymph.get(memory_id)))
        except MemoryNotFound:
            missing.append(memory_id)
    return {"would": args.action, "memories": found, "unknown": missing}


TOOL = Tool(
    name="memory_delete",
    command="delete",
    description="Archive or trash up to five named memories; undo_operation brings them back.",
    arguments=DeleteArguments,
    run=run,
    profile="core",
    destructive=True,
    idempotent=True,
    keep_chars=150,
    preview=preview,
)
