"""`glymph garden`: faded links dropped, what is said twice made one, orphans listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import typer

from glymph.cli.options import Actor, Apply, Json, SpaceName, Url

PANEL = "While the agent sleeps"
SHOWN = 20  # orphans and refusals on a terminal


def register(app: typer.Typer) -> None:
    app.command("garden", rich_help_panel=PANEL)(garden)


def garden(
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Drop links that have faded away, merge what is said twice, and list what nothing leads to."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = glymph.garden(dry_run=not apply)
    value = {**plain(done), "told": done.told}
    if as_json:
        show.document(value)
    else:
        page(value, "" if space == "default" else f" --space {space}")


def page(value: Mapping[str, Any], here: str) -> None:
    """What the gardener did, for people."""
    from glymph.cli import show

    show.line(value["told"], "bold")
    show.table(["link", "dropped>"], sorted(value["links_dropped"].items()))
    rows = [[len(one["parts"]), one["id"], one["title"]] for one in value["merged"]]
    show.table(["merged>", "into", "title"], rows, [one["reason"] for one in value["merged"]])
    for kept in value["kept"][:SHOWN]:
        show.line(f"  kept: {kept['id']}: {kept['reason']}", "yellow")
    orphans = [
        [f"{one['age_days']:.0f}", one["kind"], one["id"], one["title"]]
        for one in value["orphans"][:SHOWN]
    ]
    show.table(["days>", "kind", "orphan", "title"], orphans)
    if value["orphan_count"] > len(orphans):
        show.line(
            f"{value['orphan_count'] - len(orphans):,} more: glymph candidates lists what may go.",
            "dim",
        )
    if value["other_vectors"]:
        show.line(
            f"{value['other_vectors']:,} vectors of other models: glymph embed --tidy removes them.",
            "dim",
        )
    if value["operation_id"]:
        show.line(f"  take it back with: glymph undo {value['operation_id']}{here}", "dim")
    if value["dry_run"]:
        show.line("Nothing was changed: add --apply to do it.", "dim")


def memetics(value: Mapping[str, Any]) -> None:
    """How a memory is doing as a whole, for people."""
    from glymph.cli import show

    show.line(f"Next: {value['suggested_action']}.", "bold")
    many = show.counted(value["memories"], "memory", "memories")
    groups = show.counted(value["communities"], "community", "communities")
    figures = f"entropy {value['entropy']:.2f}, coherence {value['coherence']:.2f} (by {value['coherence_by']})"
    show.line(f"{many} in {groups}: {figures}.")
    sessions = value["policy"]["ai_prune_sessions"]
    looks = "off" if sessions is None else f"every {sessions} sessions"
    recalls = show.counted(value["recalls"], "recall", "recalls")
    show.line(f"{value['stage'].capitalize()}, after {recalls}: AI prune {looks}.", "dim")
    rows = [
        [one["task"], "?" if one["count"] is None else one["count"], one["tool"]]
        for one in value["curation_tasks"]
    ]
    show.table(["task", "how many>", "tool"], rows)
