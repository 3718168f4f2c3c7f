"""memory_delete: a few named memories into the archive or the trash."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.core.model import State
from glymph.errors import MemoryNotFound
from glymph.tools import shapes
from glymph.tools.arguments import Texts
from glymph.tools.contract import POSITIONAL, Arguments, Tool

if TYPE_CHECKING:
    from glymph.core.model import Memory
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
    """What a run would do, id by id, with the reasons for which it would leave some alone."""
    shown: dict[str, Any] = {"would": args.action, "memories": [], "skipped": [], "failed": []}
    for memory_id in dict.fromkeys(args.ids):
        try:
            memory = glymph.get(memory_id)
        except MemoryNotFound:
            shown["failed"].append({"id": memory_id, "reason": "no such memory in this space"})
            continue
        if reason := _hindrance(memory, args.action):
            shown["skipped"].append({"id": memory_id, "reason": reason})
        else:
            shown["memories"].append(shapes.brief(memory))
    return shown


def _hindrance(memory: Memory, action: str) -> str | None:
    """Why a run would skip the memory; the same words a run says. A test holds the two together."""
    goal = State.ARCHIVED if action == "archive" else State.TRASHED
    if memory.state is goal:
        return f"it is {goal} already"
    if memory.protected:
        return "it is protected"
    if memory.pinned:
        return "it is pinned; unpin it first"
    if goal is State.ARCHIVED and memory.state is State.TRASHED:
        return "it is in the trash; restore it first"
    return None


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
