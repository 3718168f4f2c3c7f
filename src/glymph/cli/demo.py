"""`glymph demo`: half a year of an agent's life, played into a store."""

from __future__ import annotations

from typing import Annotated

import typer

from glymph.cli.options import LOOK, Json


def register(app: typer.Typer) -> None:
    app.command("demo", rich_help_panel=LOOK)(demo)


def demo(
    url: Annotated[
        str | None,
        typer.Option(
            help="Keep it: load into a new space `demo` of this store.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another life.")] = 7,
    as_json: Json = False,
) -> None:
    """Play half a year of an agent's life into a fresh store and show what became of it."""
    from glymph import demo as life

    raise typer.Exit(life.run(url, as_json, seed))
