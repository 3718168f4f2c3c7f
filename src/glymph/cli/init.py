"""`glymph store init`: makes a store and a space."""

from __future__ import annotations

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, SpaceName, Url


def register(app: typer.Typer) -> None:
    app.command("init", rich_help_panel=KEEP)(init)


def init(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Create the store and the space, if they are not there yet."""
    with environment.open_glymph(url, space, "user", create=True) as glymph:
        store = glymph.shown_url
    facts = {"store": store, "space": space}
    output.answer(facts, f"{store} is ready, with the space {space}.", as_json=as_json)
