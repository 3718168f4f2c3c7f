"""`glymph import`: an export loaded into a new or empty space."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, Url
from glymph.cli.progress import show_progress
from glymph.tools.blocks import quantity


def register(app: typer.Typer) -> None:
    app.command("import", rich_help_panel=KEEP)(import_)


def import_(
    path: Annotated[Path, typer.Argument(help="The export to read.", show_default=False)],
    url: Url = None,
    into: Annotated[
        str | None,
        typer.Option("--into", help="The space to make; left out: its name in the export."),
    ] = None,
    without: Annotated[
        bool,
        typer.Option(
            "--without-tombstones", help="Give up what the export keeps from being learnt again."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Load an export into a space that is new or still empty, without what was removed for good
    here.
    """
    with (
        environment.open_whole(url, create=True) as glymph,
        show_progress("loading", "rows", quiet=as_json) as tick,
    ):
        done = glymph.import_(path, space=into, tombstones=not without, progress=tick)
    facts = {"path": str(path), "rows": done.rows, "kept_out": done.kept_out}
    text = f"{done.rows:,} rows loaded from {path}."
    output.answer(facts, text + describe_kept_out(done.kept_out, "stayed"), as_json=as_json)


def describe_kept_out(count: int, verb: str) -> str:
    """Says how many memories tombstones kept out; empty if none."""
    many = quantity(count, "memory", "memories")
    return f" {many} {verb} out: removed for good on request." if count else ""
