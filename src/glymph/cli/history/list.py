"""`glymph memory history list`: the conversations of a space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from glymph import environment
from glymph.cli import output
from glymph.cli.history.find import Folder, describe_place, history_in
from glymph.cli.options import Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Table, format_time

if TYPE_CHECKING:
    from glymph.tools.blocks import Table


def list_conversations(
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """List the conversations of a space in all places, the one in which something was said last
    first.
    """
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        if folder is None:
            found, where = plain(glymph.conversations.every()), f"the space {glymph.space}"
        else:
            history = history_in(glymph, folder)
            where = describe_place(history)
            found = [{**one, "where": str(folder)} for one in plain(history.sessions())]
    none = f"No conversations in {where}. `History.append` begins one."
    output.answer({"conversations": found}, [_table(found)] if found else none, as_json=as_json)


def _table(conversations: Sequence[Mapping[str, Any]]) -> Table:
    rows = [
        [one["session"], str(one["messages"]), str(one["summarised"]),
         format_time(one["newest_at"]) if one["newest_at"] else "", one["where"]]
        for one in conversations
    ]  # fmt: skip
    return Table(["session", "messages>", "in notes>", "newest (UTC)", "where"], rows)
