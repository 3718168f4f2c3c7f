"""`glymph memory reinforce`: counts one use of memories, so that they stay."""

from __future__ import annotations

from typing import Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Actor, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.ids import resolve_id


def register(app: typer.Typer) -> None:
    app.command("reinforce", rich_help_panel=SLEEP)(reinforce)


def reinforce(
    ids: Annotated[list[str], typer.Argument(help="The memories to keep.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Count one use of memories, so that they stay."""
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        receipt = plain(glymph.reinforce([resolve_id(glymph, "memory", one) for one in ids]))
    output.answer_receipt(receipt, as_json=as_json)
