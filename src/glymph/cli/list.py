"""`glymph memory list`: memories, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import LOOK, Json, SpaceName, Url
from glymph.moments import parse_iso
from glymph.tools.blocks import Line
from glymph.tools.data import shorten_memory
from glymph.tools.render import render_memories

if TYPE_CHECKING:
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    app.command("list", rich_help_panel=LOOK)(list_memories)


def list_memories(
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
    limit: Annotated[int, typer.Option(help="Memories on a page.", min=1, max=1000)] = 30,
    cursor: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kinds", metavar="<str>", help="Only this kind; may be repeated."),
    ] = None,
    states: Annotated[
        list[str] | None,
        typer.Option(
            "--states", metavar="<str>", help="LIVE (default), ARCHIVED, TRASHED; may be repeated."
        ),
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option("--tags", metavar="<str>", help="Only with this tag; may be repeated."),
    ] = None,
    at: Annotated[str | None, typer.Option(help="As things stood at this ISO 8601 time.")] = None,
) -> None:
    """List memories, newest first."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        moment = parse_iso(at, "at") if at else None
        page = glymph.list(
            limit=limit, cursor=cursor, kinds=kinds, states=states, tags=tags, at=moment
        )
        facts = {"memories": [shorten_memory(memory) for memory in page], "cursor": page.cursor}
    output.answer(facts, _render(facts), as_json=as_json)


def _render(facts: dict[str, Any]) -> Blocks:
    yield render_memories(facts["memories"])
    if not facts["memories"]:
        yield Line("Nothing here yet. `glymph add TEXT` remembers something.")
    if facts["cursor"]:
        yield Line(f"more: --cursor {facts['cursor']}", "dim")
