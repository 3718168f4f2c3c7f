"""`glymph memory surface`: the digest that a session begins with."""

from __future__ import annotations

from typing import Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Json, SpaceName, Url
from glymph.text.tokens import tokens as count_tokens


def register(app: typer.Typer) -> None:
    app.command("surface", rich_help_panel=SLEEP)(surface)


def surface(
    tokens: Annotated[
        int | None,
        typer.Option(
            "--tokens", help="Its size; else the setting surface_tokens.", show_default=False
        ),
    ] = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Print the digest that a session begins with."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        text = glymph.surface(tokens)
    facts = {"text": text, "tokens": count_tokens(text)}
    output.answer(facts, text or "Nothing to show yet.", as_json=as_json)
