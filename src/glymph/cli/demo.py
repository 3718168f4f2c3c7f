"""`glymph demo`: in a clone half a year of an agent's life, else a short one that is built in."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import glymph
from glymph.cli import output, short_demo
from glymph.cli.options import LOOK, Json

if TYPE_CHECKING:
    from types import ModuleType


def register(app: typer.Typer) -> None:
    app.command("demo", rich_help_panel=LOOK)(demo)


def demo(
    url: Annotated[
        str | None,
        typer.Option(
            help="Keep it: load into a new space `demo` of this store.", show_default=False
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed, another life (in a clone).")] = 7,
    as_json: Json = False,
) -> None:
    """Play some of an agent's life into a fresh store and show what became of it.

    A clone of the project plays half a year (examples/demo), a package a short built-in story.
    """
    if (long_demo := find_long_demo()) is not None:
        raise typer.Exit(long_demo.run(url, as_json, seed))

    facts = short_demo.play(url)
    output.answer(facts, short_demo.tell(facts, url), as_json=as_json)
    raise typer.Exit(0 if facts["sound"] else output.FAILED)


def find_long_demo() -> ModuleType | None:
    """Returns examples/demo/run.py if the package runs from the src folder of a clone."""
    source = Path(glymph.__file__).resolve().parents[1]
    if source.name != "src" or not (source.parent / "examples/demo/__init__.py").is_file():
        return None
    if str(source.parent) not in sys.path:
        sys.path.insert(0, str(source.parent))
    return import_module("examples.demo.run")
