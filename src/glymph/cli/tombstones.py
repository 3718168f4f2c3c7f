"""`glymph tombstones`: what keeps facts removed for good from being learnt again, and the way to
let them be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glymph.cli.options import Apply, Json, SpaceName, Url

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.model import Tombstone

PANEL = "Keep"


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="List and lift what keeps facts removed for good from being learnt again.",
    )
    group.command("list")(tombstones_list)
    group.command("lift")(tombstones_lift)
    app.add_typer(group, name="tombstones", rich_help_panel=PANEL)


def tombstones_list(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List the tombstones of a space. What they stand for, nobody can tell from them."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = plain(glymph.tombstones())
    if as_json:
        show.document({"tombstones": found})
        return
    show.table(["number>", "since (UTC)", "operation"], [_row(one) for one in found])
    if not found:
        show.line("No tombstones: nothing was removed for good on request.")


def _row(one: dict[str, str]) -> list[str]:
    from glymph.cli import show

    return [one["number"], show.when(one["created_at"]), one["operation"]]


def tombstones_lift(
    numbers: Annotated[
        list[int] | None,
        typer.Argument(help="Numbers that `tombstones list` shows.", show_default=False),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option(
            "--text", help="What was removed, about as it was worded.", show_default=False
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All tombstones of the space.")] = False,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Let facts be learnt again. What was removed does not come back by it."""
    from glymph import environment
    from glymph.cli import show
    from glymph.errors import InvalidInput
    from glymph.plain import plain

    if (bool(numbers), text is not None, every).count(True) != 1:
        raise InvalidInput("numbers", "name NUMBERS, or --text TEXT, or --all: one of the three.")
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        if apply:
            done = glymph.lift_tombstones(numbers or (), text=text, all=every)
            show.result(plain(done), as_json=as_json)
            return
        found = _wanted(glymph, numbers, text)
    if as_json:
        show.document({"dry_run": True, "would": "lift", "tombstones": plain(found)})
        return
    many = show.counted(len(found), "tombstone", "tombstones")
    show.line(f"Would lift {many}. Nothing was changed: add --apply to do it.", "bold")
    show.table(["number>", "since (UTC)", "operation"], [_row(one) for one in plain(found)])


def _wanted(glymph: Glymph, numbers: list[int] | None, text: str | None) -> list[Tombstone]:
    return [one for one in glymph.tombstones(text=text) if not numbers or one.number in numbers]
