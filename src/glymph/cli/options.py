"""Options that every command takes."""

from __future__ import annotations

from typing import Annotated

import typer

PANEL = "Where"

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="GLYMPH_URL",
        help="The store, e.g. sqlite:///memory.db.",
        rich_help_panel=PANEL,
    ),
]
SpaceName = Annotated[
    str,
    typer.Option(
        "--space", envvar="GLYMPH_SPACE", help="The space to work in.", rich_help_panel=PANEL
    ),
]
Actor = Annotated[
    str,
    typer.Option(
        "--actor",
        envvar="GLYMPH_ACTOR",
        help="Who is acting, for the journal.",
        rich_help_panel=PANEL,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=PANEL)
]
Apply = Annotated[
    bool, typer.Option("--apply", help="Do it. Without this, only say what would happen.")
]
ApplyPlan = Annotated[
    bool,
    typer.Option(
        "--apply",
        help="Do it: needs --plan ID, as it was shown without this. A request is only shown.",
    ),
]
