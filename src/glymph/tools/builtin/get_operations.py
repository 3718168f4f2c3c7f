"""get_operations: who did what, when and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.blocks import Line, Table, format_time, quantity
from glymph.tools.brief import brief_operations
from glymph.tools.contract import Arguments, Tool, ids_of
from glymph.tools.render import Blocks

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.model import Operation

TITLE = 48  # characters of a title in the list


class OperationsArguments(Arguments):
    limit: int = Field(50, ge=1, le=1000, description="Most operations to give back, newest first.")
    cursor: str | None = Field(
        None, description="next_cursor of the answer before: what follows it."
    )
    session: str | None = Field(None, description="Only those of one conversation.")
    actor: str | None = Field(None, description="Only those of one actor.")
    verb: str | None = Field(None, description="Only one kind, e.g. add, archive, undo.")
    operation_id: str | None = Field(
        None,
        description="One operation with all it touched, by name, before and after.",
        json_schema_extra={"show": True, **ids_of("operation")},
    )


def run(glymph: Glymph, args: OperationsArguments) -> Mapping[str, Any]:
    given = args.model_dump()
    if one := given.pop("operation_id"):
        return dict(plain(glymph.audit(one, limit=args.limit)))
    found = glymph.operations(**given)
    narrowed = any(given[name] is not None for name in ("session", "actor", "verb"))
    told = {"summary": _summarize(found.items, narrowed=narrowed), "operations": plain(found.items)}
    return told | ({"next_cursor": found.cursor} if found.cursor else {})


def _summarize(operations: Sequence[Operation], *, narrowed: bool) -> str:
    """Returns the audit in a sentence or two; `narrowed` to some session, actor or verb."""
    if not operations:
        return "No operation fits that." if narrowed else "Nothing happened."
    verbs = Counter(op.verb for op in operations)
    said = ", ".join(f"{count} × {verb}" for verb, count in verbs.most_common())
    refused = sum(
        len(op.details.get("failed", ())) + len(op.details.get("skipped", ())) for op in operations
    )
    undone = sum(op.undone_by is not None for op in operations)
    return (
        f"{quantity(len(operations), 'operation', 'operations')} by "
        f"{', '.join(sorted({op.actor for op in operations}))}: {said}. "
        f"{undone} undone since; {quantity(refused, 'id', 'ids')} skipped or failed."
    )


def render(result: Mapping[str, Any]) -> Blocks:
    if "operation" in result:
        yield from _render_one(result)
        return
    rows = []
    for operation in result["operations"]:
        who = operation["actor"] + (" (undone since)" if operation["undone_by"] else "")
        why = f"{who}: {operation['reason']}" if operation["reason"] else who
        when = format_time(operation["at"])
        rows.append([operation["id"], when, operation["verb"], f"{why} – {_name(operation)}"])
    yield Table(["operation", "when (UTC)", "verb", "who, why and what"], rows)
    yield Line(result["summary"], "dim")
    if result.get("next_cursor"):
        yield Line(f"more: --cursor {result['next_cursor']}", "dim")


def _name(operation: Mapping[str, Any]) -> str:
    """Returns what an operation touched, in a few words."""
    named = operation["touched"]
    links = quantity(operation["links"], "link", "links") if operation["links"] else ""
    if not named:
        return links or quantity(operation["changes"], "row", "rows")
    title = shorten(named[0]["title"], TITLE, placeholder="…")
    more = operation["changes"] - operation["links"] - 1
    return title + (f" and {more} more" if more > 0 else "") + (f", {links}" if links else "")


def _render_one(result: Mapping[str, Any]) -> Blocks:
    operation = result["operation"]
    who = f"{operation['verb']} by {operation['actor']}, {format_time(operation['at'])} UTC"
    session = f", session {operation['session']}" if operation["session"] else ""
    yield Line(who + session + (f": {operation['reason']}" if operation["reason"] else ""))
    rows = []
    for one in result["memories"]:
        states = [one[when] or "–" for when in ("before", "after")]
        rows.append([one["id"], *states, ", ".join(one["changed"]), one["title"]])
    if rows:
        yield Table(["memory", "before", "after", "changed", "title"], rows)
    links = ", ".join(
        f"{result[f'links_{what}']} {what}"
        for what in ("made", "changed", "dropped")
        if result[f"links_{what}"]
    )
    many = quantity(result["total"], "memory", "memories")
    told = many + (f"; links: {links}" if links else "")
    yield Line(f"{told}; {'undone since' if operation['undone_by'] else 'it stands'}.", "dim")


TOOL = Tool(
    name="get_operations",
    command="operations",
    description="List operations with actor, reason and outcome: the audit of a conversation or a "
    "space.",
    arguments=OperationsArguments,
    run=run,
    brief=brief_operations,
    profile="full",
    render=render,
    cursor_of="operations",
    read_only=True,
    idempotent=True,
)
