"""`glymph memory history memory ID`, or `glymph memory history ID`: what happened to a memory."""

from __future__ import annotations

from shlex import quote
from typing import Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import Json, SpaceName, Url
from glymph.errors import InvalidInput, MemoryNotFound
from glymph.plain import plain
from glymph.tools.ids import resolve_id
from glymph.tools.render import render_changes

SHOWS = "`glymph memory history show {}` shows it."


def memory(
    memory_id: Annotated[str, typer.Argument(help="The memory's id.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show everything that ever happened to a memory."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        try:
            changes = plain(glymph.history(resolve_id(glymph, "memory", memory_id)))
        except MemoryNotFound as error:
            if any(one.session == memory_id for one in glymph.conversations.every()):
                way = SHOWS.format(quote(memory_id))
                raise InvalidInput("id", f"{memory_id!r} is a conversation: {way}") from error
            raise
    output.answer({"history": changes}, [render_changes(changes)], as_json=as_json)
