"""`glymph memory history search`: old turns of a conversation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph.cli import output
from glymph.cli.history.find import Folder, Session, open_history, same_place
from glymph.cli.options import Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, format_time

if TYPE_CHECKING:
    from glymph.tools.blocks import Line, Table


def search(
    session: Session,
    query: Annotated[
        str, typer.Argument(help="What was said, in a few words.", show_default=False)
    ],
    limit: Annotated[int, typer.Option(help="Most turns to show.", min=1, max=100)] = 10,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Find old turns of a conversation, also those that only its notes stand for."""
    with open_history(session, folder, url, space, "user") as history:
        turns = plain(history.search(session, query, limit=limit))
    facts = {"session": session, "turns": turns}
    output.answer(facts, _render_turns(facts, same_place(space, folder)), as_json=as_json)


def _render_turns(facts: Mapping[str, Any], where: str) -> Iterator[Line | Table]:
    turns = facts["turns"]
    rows = [
        [str(one["number"]), format_time(one["at"]) if one["at"] else "", one["role"]]
        for one in turns
    ]
    yield Table(["message>", "when (UTC)", "who"], rows, [one["text"] for one in turns])
    if turns:
        show = f"glymph memory history show {quote(facts['session'])}"
        way = f"{show} --around {turns[0]['number']}{where}"
        yield Line(f"What was said before and after: {way}", "dim")
    else:
        yield Line("Nothing was said about it. Other words may find it.")
