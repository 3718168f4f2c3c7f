"""Options that several commands take, and the panels of `glymph --help`."""

from __future__ import annotations

from typing import Annotated

import typer

LOOK, KEEP, SLEEP = "Look", "Keep", "While the agent sleeps"
WHERE = "Where"

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="GLYMPH_URL",
        help="The store, e.g. sqlite:///memory.db.",
        show_default="~/.glymph/memory.db",
        rich_help_panel=WHERE,
    ),
]
SpaceName = Annotated[
    str,
    typer.Option(
        "--space", envvar="GLYMPH_SPACE", help="The space to work in.", rich_help_panel=WHERE
    ),
]
Actor = Annotated[
    str,
    typer.Option(
        "--actor",
        envvar="GLYMPH_ACTOR",
        help="Who is acting, for the journal.",
        rich_help_panel=WHERE,
    ),
]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=WHERE)
]
Apply = Annotated[
    bool, typer.Option("--apply", help="Do it. Without this, only say what would happen.")
]
IfNeeded = Annotated[
    bool,
    typer.Option(
        "--if-needed", help="Do it if it is due, else nothing. Implies --apply: it is for hooks."
    ),
]
