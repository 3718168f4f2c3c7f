"""`glymph store tombstones`: lists and lifts what keeps removed facts from being learnt again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Apply, Json, SpaceName, Url
from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, format_time, quantity
from glymph.tools.render import NOT_CHANGED

if TYPE_CHECKING:
    from glymph.client import Glymph
    from glymph.model import Tombstone
    from glymph.tools.blocks import Table


def register(app: typer.Typer) -> None:
    group = make_group("List and lift what keeps facts removed for good from being learnt again.")
    group.command("list")(list_tombstones)
    group.command("lift")(lift)
    app.add_typer(group, name="tombstones", rich_help_panel=KEEP)


def list_tombstones(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List the tombstones of a space. What they stand for, nobody can tell from them."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = plain(glymph.tombstones())
    none = "No tombstones: nothing was removed for good on request."
    page = [_table(found)] if found else none
    output.answer({"tombstones": found}, page, as_json=as_json)


def _table(tombstones: Sequence[dict[str, Any]]) -> Table:
    rows = [[one["number"], format_time(one["created_at"]), one["operation"]] for one in tombstones]
    return Table(["number>", "since (UTC)", "operation"], rows)


def lift(
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
    if (bool(numbers), text is not None, every).count(True) != 1:
        raise InvalidInput("numbers", "name NUMBERS, or --text TEXT, or --all: one of the three.")
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        if apply:
            done = glymph.tombstones.lift(numbers or (), text=text, all=every)
            output.answer_receipt(plain(done), as_json=as_json)
            return
        found = plain(_find(glymph, numbers, text))
    facts = {"dry_run": True, "would": "lift", "tombstones": found}
    many = quantity(len(found), "tombstone", "tombstones")
    page = [Line(f"Would lift {many}. {NOT_CHANGED}", "bold"), _table(found)]
    output.answer(facts, page, as_json=as_json)


def _find(glymph: Glymph, numbers: list[int] | None, text: str | None) -> list[Tombstone]:
    return [one for one in glymph.tombstones(text=text) if not numbers or one.number in numbers]
