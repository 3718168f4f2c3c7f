"""manage_conflicts: statements that cannot both be current, and what holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.blocks import Line, Table, format_time
from glymph.tools.contract import POSITIONAL, Arguments, Tool
from glymph.tools.render import Blocks, render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class ConflictArguments(Arguments):
    action: Literal["list", "resolve", "batch_resolve"] = Field(
        "list",
        description="list, resolve one, or batch_resolve several alike.",
        json_schema_extra=POSITIONAL,
    )
    ids: Texts = Field(
        [], description="Ids of the conflicts to settle.", json_schema_extra=POSITIONAL
    )
    resolution: Literal["new_is_current", "old_is_current", "keep_both", "merge"] | None = Field(
        None, description="What holds. Nothing decided: after 14 days both are kept."
    )
    text: str | None = Field(None, description="With merge: what takes the place of both.")


def run(glymph: Glymph, args: ConflictArguments) -> Mapping[str, Any]:
    if args.action == "list":
        return {"conflicts": plain(glymph.conflicts())}
    if args.resolution is None:
        raise InvalidInput(
            "resolution", "which holds? Use new_is_current, old_is_current, keep_both or merge."
        )
    if not args.ids:
        raise InvalidInput("ids", "which conflict? `list` shows those that wait.")
    if args.action == "resolve" and len(args.ids) > 1:
        raise InvalidInput(
            "ids", f"{len(args.ids)} given. Settle several alike with batch_resolve."
        )
    ids = args.ids[0] if args.action == "resolve" else args.ids
    return data.dump_receipt(glymph.resolve(ids, args.resolution, text=args.text))


def render(result: Mapping[str, Any]) -> Blocks:
    if "conflicts" not in result:
        yield from render_receipt(result)
        return
    rows, notes = [], []
    for conflict in result["conflicts"]:
        since, until = format_time(conflict["raised_at"]), format_time(conflict["expires_at"])
        rows.append([conflict["id"], since, until, conflict["older_text"]])
        notes.append(f"or now: {conflict['newer_text']} ({conflict['reason']})")
    yield Table(["conflict", "since (UTC)", "kept both from (UTC)", "said"], rows, notes)
    if rows:
        yield Line(
            "Settle one with: glymph conflicts resolve ID --resolution new_is_current", "dim"
        )
    else:
        yield Line("No conflicts wait for a decision.")


TOOL = Tool(
    name="manage_conflicts",
    command="conflicts",
    description="List statements that contradict each other, and say which holds.",
    arguments=ConflictArguments,
    run=run,
    profile="curator",
    render=render,
    destructive=True,
    keep_chars=300,
)
