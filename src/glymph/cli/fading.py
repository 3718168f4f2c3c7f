"""`glymph sleep fading`: what fades unless it is used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, Table

if TYPE_CHECKING:
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    app.command("fading", rich_help_panel=SLEEP)(fading)


def fading(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List the lessons, theses and playbooks that fade unless they are used."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = plain(glymph.fading())
    output.answer({"fading": found}, _render(found), as_json=as_json)


def _render(found: Sequence[dict[str, Any]]) -> Blocks:
    rows = [
        [
            one["kind"],
            f"{one['retrievability']:.2f}",
            f"{one['days_until_dormant']:.0f}",
            one["id"],
            one["title"],
        ]
        for one in found
    ]
    yield Table(["kind", "R>", "days left>", "id", "title"], rows)
    if rows:
        archive = "glymph prune batch ID --action archive"
        yield Line("Keep one: glymph memory reinforce ID", "dim")
        yield Line(f"Let it go: {archive}", "dim")
    else:
        yield Line("Nothing is fading.")
