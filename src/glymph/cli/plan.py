"""`glymph prune plan`: the plans that can be pruned from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools import data
from glymph.tools.blocks import Line, Table, format_time
from glymph.tools.ids import resolve_id
from glymph.tools.render import render_plan

if TYPE_CHECKING:
    from glymph.tools.render import Blocks

PlanId = Annotated[
    str, typer.Argument(help="The plan's id, as `glymph analyze` shows it.", show_default=False)
]


def register(app: typer.Typer) -> None:
    group = make_group("Look at plans that can be pruned from.")
    group.command("list")(list_plans)
    group.command("show")(show)
    app.add_typer(group, name="plan", rich_help_panel=KEEP)


def list_plans(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List the plans that have not expired."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        plans = plain(glymph.plans())
    output.answer({"plans": plans}, _render(plans), as_json=as_json)


def _render(plans: Sequence[dict[str, Any]]) -> Blocks:
    rows = [
        [
            plan["id"],
            format_time(plan["created_at"])[:-3],
            plan["expires_at"][:10],
            len(plan["groups"]),
            sum(len(group["nodes"]) for group in plan["groups"]),
        ]
        for plan in plans
    ]
    yield Table(["plan", "made (UTC)", "expires", "groups>", "memories>"], rows)
    if not rows:
        yield Line("No plans. `glymph analyze` makes one.")


def show(
    plan: PlanId, url: Url = None, space: SpaceName = "default", as_json: Json = False
) -> None:
    """Show a plan: its groups, their members, why, and what would be lost."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = data.dump_plan(glymph.plan(resolve_id(glymph, "plan", plan)))
    output.answer(found, render_plan(found), as_json=as_json)
