"""`glymph sleep garden`: drops faded links, merges duplicates and lists orphans."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Actor, Apply, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, Table
from glymph.tools.render import NOT_CHANGED, render_undo

if TYPE_CHECKING:
    from glymph.tools.render import Blocks

SHOWN = 20  # orphans and refusals on a terminal


def register(app: typer.Typer) -> None:
    app.command("garden", rich_help_panel=SLEEP)(garden)


def garden(
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Drop links that have faded away, merge what is said twice, and list what nothing leads to."""
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = glymph.garden(dry_run=not apply)
    facts = {**plain(done), "told": done.told}
    here = "" if space == "default" else f" --space {space}"
    output.answer(facts, _render(facts, here), as_json=as_json)


def _render(facts: dict[str, Any], here: str) -> Blocks:
    yield Line(facts["told"], "bold")
    yield Table(["link", "dropped>"], sorted(facts["links_dropped"].items()))
    rows = [[len(one["parts"]), one["id"], one["title"]] for one in facts["merged"]]
    yield Table(["merged>", "into", "title"], rows, [one["reason"] for one in facts["merged"]])
    for kept in facts["kept"][:SHOWN]:
        yield Line(f"  kept: {kept['id']}: {kept['reason']}", "yellow")
    orphans = [
        [f"{one['age_days']:.0f}", one["kind"], one["id"], one["title"]]
        for one in facts["orphans"][:SHOWN]
    ]
    yield Table(["days>", "kind", "orphan", "title"], orphans)
    if (more := facts["orphan_count"] - len(orphans)) > 0:
        yield Line(f"{more:,} more: `glymph prune candidates` lists what may go.", "dim")
    if vectors := facts["other_vectors"]:
        tidy = "`glymph sleep embed --tidy` removes them"
        yield Line(f"{vectors:,} vectors of other models: {tidy}.", "dim")
    yield from render_undo(facts["operation_id"], here)
    if facts["dry_run"]:
        yield Line(NOT_CHANGED, "dim")
