"""`glymph store backup`: the whole store copied into a new file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.export import describe_left_behind
from glymph.cli.options import KEEP, Json, Url


def register(app: typer.Typer) -> None:
    app.command("backup", rich_help_panel=KEEP)(backup)


def backup(
    path: Annotated[Path, typer.Argument(help="The new file to write.", show_default=False)],
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Copy the whole store into a new file while others go on writing."""
    with environment.open_whole(url) as glymph:
        target = glymph.backup(path)
        names = [space.name for space in glymph.spaces()]
        behind = [str(folder) for folder in glymph.conversations.folders(*names)]
    facts = {"path": str(target), "left_behind": behind}
    page = [f"Backed up to {target}.", *describe_left_behind(behind)]
    output.answer(facts, page, as_json=as_json)
