"""`glymph install tools`: the definitions of the tools, for frameworks that take them as data."""

from __future__ import annotations

from typing import Annotated

import typer

from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import LOOK


def register(app: typer.Typer) -> None:
    group = make_group("Show the tools as frameworks take them.")
    group.callback()(lambda: None)  # a group, though it has one command
    group.command("schema")(schema)
    app.add_typer(group, name="tools", rich_help_panel=LOOK)


def schema(
    format: Annotated[
        str,
        typer.Option("--format", metavar="openai|anthropic|json", help="Whose shape they have."),
    ] = "openai",
    profile: Annotated[
        str, typer.Option("--profile", metavar="core|curator|full", help="Which tools.")
    ] = "core",
) -> None:
    """Print the definitions of the tools as one JSON list, to send with a request to a model."""
    from glymph.adapters.schema import tool_schemas

    # A name that is not known is refused there.
    output.print_json(tool_schemas(format, profile))  # type: ignore[arg-type]
