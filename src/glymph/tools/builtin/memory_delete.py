"""memory_delete: a few named memories into the archive or the trash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.plain import plain
from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.blocks import Line, quantity
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import MEMORY, Arguments, Tool
from glymph.tools.render import (
    NOT_CHANGED,
    Blocks,
    render_memories,
    render_receipt,
    render_refusals,
)

if TYPE_CHECKING:
    from glymph.client import Glymph

MOST = 5


class DeleteArguments(Arguments):
    ids: Texts = Field(
        min_length=1,
        max_length=MOST,
        description="Ids of one to five memories.",
        json_schema_extra=MEMORY,
    )
    action: Literal["archive", "delete"] = Field(
        "delete",
        description="archive: hidden, kept; delete: trash, emptied after trash_days (30).",
    )
    reason: str | None = Field(None, description="Why.")


def run(glymph: Glymph, args: DeleteArguments) -> Mapping[str, Any]:
    act = glymph.archive if args.action == "archive" else glymph.delete
    return data.dump_receipt(act(args.ids, reason=args.reason))


def preview(glymph: Glymph, args: DeleteArguments) -> Mapping[str, Any]:
    """Returns what a run would do, id by id, and why it would leave some alone."""
    act = glymph.archive if args.action == "archive" else glymph.delete
    would = act(args.ids, dry_run=True)
    return {
        "would": args.action,
        "memories": [data.shorten_memory(glymph.get(memory_id)) for memory_id in would.succeeded],
        "skipped": [plain(refusal) for refusal in would.skipped],
        "failed": [plain(refusal) for refusal in would.failed],
    }


def render_preview(result: Mapping[str, Any]) -> Blocks:
    many = quantity(len(result["memories"]), "memory", "memories")
    yield Line(f"Would {result['would']} {many}. {NOT_CHANGED}", "bold")
    yield render_memories(result["memories"])
    yield from render_refusals(result)


TOOL = Tool(
    name="memory_delete",
    command="delete",
    description="Archive or trash up to five named memories; undo_operation brings them back until "
    "the trash is emptied.",
    arguments=DeleteArguments,
    run=run,
    brief=brief_receipt,
    profile="curator",
    render=render_receipt,
    destructive=True,
    idempotent=True,
    keep_chars=150,
    preview=preview,
    render_preview=render_preview,
)
