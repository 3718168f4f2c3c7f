"""`glymph demo`: half a year of one person, in half a minute; `--long` plays an agent's life."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import glymph
from glymph.cli import demo_page, demo_play, output
from glymph.cli.options import LOOK, Json
from glymph.errors import InvalidInput
from glymph.tools.blocks import Line

if TYPE_CHECKING:
    from types import ModuleType

SEED = 7  # of the long demo


def register(app: typer.Typer) -> None:
    app.command("demo", rich_help_panel=LOOK)(demo)


def demo(
    url: Annotated[
        str | None,
        typer.Option(
            help="Keep it: load into a new space `demo` of this store.", show_default=False
        ),
    ] = None,
    long: Annotated[
        bool, typer.Option("--long", help="Half a year of a trading agent (in a clone).")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(help="Another seed, another life, with --long.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Play some of an agent's life into a fresh store and show what became of it.

    Everything that is printed happened in that run. It takes some ten seconds and asks no language
    model; a clone of the project has a longer one (examples/demo).
    """
    if long:
        raise typer.Exit(load_long_demo().run(url, as_json, SEED if seed is None else seed))
    if seed is not None:
        raise InvalidInput("seed", "only the long demo has one: add --long, in a clone.")
    facts: dict[str, Any] = {}
    if as_json:
        facts = dict(demo_play.play(url))
        output.print_json(facts)
    else:
        output.print_blocks(_tell(url, facts))
    raise typer.Exit(output.FAILED if facts["end"]["problems"] else 0)


def _tell(url: str | None, facts: dict[str, Any]) -> Iterator[Any]:
    """Yields the lines of each chapter as soon as it has happened, and fills in its facts."""
    for name, chapter in demo_play.play(url):
        facts[name] = chapter
        yield from demo_page.tell(name, chapter)
    yield Line(demo_page.say_farewell(url, demo_play.SPACE), "dim")


def load_long_demo() -> ModuleType:
    """Returns examples/demo/run.py, if the package runs from the src folder of a clone."""
    source = Path(glymph.__file__).resolve().parents[1]
    if source.name != "src" or not (source.parent / "examples/demo/__init__.py").is_file():
        raise InvalidInput("long", "the long demo is in a clone: run it there.")
    if str(source.parent) not in sys.path:
        sys.path.insert(0, str(source.parent))
    return import_module("examples.demo.run")
