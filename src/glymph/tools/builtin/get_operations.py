"""get_operations: who did what, when and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.blocks import Line, Table, format_time
from glymph.tools.contract import Arguments, Tool
from glymph.tools.render import Blocks

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.model import Operation


class OperationsArguments(Arguments):
    limit: int = Field(50, ge=1, le=1000, description="Most operations to give back, newest first.")
    cursor: str | None = Field(
        None, description="Id of the last operation seen, to go on from there."
    )
    session: str | None = Field(None, description="Only those of one conversation.")
    actor: str | None = Field(None, description="Only those of one actor.")
    verb: str | None = Field(None, description="Only one kind, e.g. add, archive, undo.")


def run(glymph: Glymph, args: OperationsArguments) -> Mapping[str, Any]:
    found = glymph.operations(**args.model_dump())
    return {"summary": _summarize(found), "operations": plain(found)}


def _summarize(operations: Sequence[Operation]) -> str:
    """Returns the audit in a sentence or two."""
    if not operations:
        return "Nothing happened."
    verbs = Counter(op.verb for op in operations)
    said = ", ".join(f"{count} × {verb}" for verb, count in verbs.most_common())
    refused = sum(
        len(op.details.get("failed", ())) + len(op.details.get("skipped", ())) for op in operations
    )
    undone = sum(op.undone_by is not None for op in operations)
    return (
        f"{len(operations)} operations by {', '.join(sorted({op.actor for op in operations}))}: "
        f"{said}. "
        f"{undone} undone since; {refused} ids skipped or failed."
    )


def render(result: Mapping[str, Any]) -> Blocks:
    rows = []
    for operation in result["operations"]:
        who = operation["actor"] + (" (undone since)" if operation["undone_by"] else "")
        why = f"{who}: {operation['reason']}" if operation["reason"] else who
        when = format_time(operation["at"])
        rows.append([operation["id"], when, operation["verb"], operation["changes"], why])
    yield Table(["operation", "when (UTC)", "verb", "rows>", "who and why"], rows)
    yield Line(result["summary"], "dim")


TOOL = Tool(
    name="get_operations",
    command="operations",
    description="List operations with actor, reason and outcome: the audit of a conversation or a "
    "space.",
    arguments=OperationsArguments,
    run=run,
    profile="full",
    render=render,
    read_only=True,
    idempotent=True,
)
