"""execute_prune: trash memories for one of four reasons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.arguments import Reason, Texts
from glymph.tools.blocks import Line, quantity
from glymph.tools.contract import MEMORY, Arguments, Tool
from glymph.tools.render import NOT_CHANGED, Blocks, render_undo

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.prune.plan import Pruned


class ExecutePruneArguments(Arguments):
    node_ids: Texts = Field(
        description="Ids of the memories to trash.",
        json_schema_extra=MEMORY,
    )
    reason: Reason = Field(description="Why they may go.")
    cascade: bool = Field(
        False, description="Also what only exists through them: lessons left without evidence."
    )


def run(glymph: Glymph, args: ExecutePruneArguments) -> Mapping[str, Any]:
    return _dump(glymph.execute_prune(**args.model_dump()))


def preview(glymph: Glymph, args: ExecutePruneArguments) -> Mapping[str, Any]:
    """Returns what a run would trash, what would go along, and what would stay."""
    would = glymph.execute_prune(**args.model_dump(), dry_run=True)
    done = would.receipt
    return {
        "would": "trash",
        "memories": list(done.succeeded) if done else [],
        "cascade": list(done.cascaded) if done else [],
        **_dump(would),
    }


def _dump(pruned: Pruned) -> dict[str, Any]:
    shown: dict[str, Any] = plain(pruned)
    del shown["receipt"]
    if pruned.message is None:
        del shown["message"]
    return shown


def render(result: Mapping[str, Any]) -> Blocks:
    if result.get("message"):
        yield Line(result["message"])
        return
    yield Line(f"Trashed {_describe(result)}. {result['note']}")
    yield from _render_errors(result)
    if result["pruned_count"]:
        yield from render_undo(result.get("operation_id"))


def render_preview(result: Mapping[str, Any]) -> Blocks:
    if result.get("message"):
        yield Line(result["message"])
        return
    yield Line(f"Would trash {_describe(result)}. {NOT_CHANGED}", "bold")
    yield from _render_errors(result)


def _describe(result: Mapping[str, Any]) -> str:
    along = result["cascade_pruned"]
    also = f", {along:,} more along with them" if along else ""
    return quantity(result["pruned_count"], "memory", "memories") + also


def _render_errors(result: Mapping[str, Any]) -> Blocks:
    for error in result["errors"]:
        yield Line(f"  left: {error['node_id']}: {error['error']}", "yellow")


TOOL = Tool(
    name="execute_prune",
    command="execute-prune",
    description="Trash memories for a reason, recoverable until it is emptied; cascade takes what "
    "only exists by them.",
    arguments=ExecutePruneArguments,
    run=run,
    profile="curator",
    render=render,
    destructive=True,
    idempotent=True,
    preview=preview,
    render_preview=render_preview,
)
