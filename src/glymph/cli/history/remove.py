"""`glymph memory history remove`: removes a conversation for good."""

from __future__ import annotations

from glymph.cli import output
from glymph.cli.history.find import Folder, Session, open_history
from glymph.cli.options import Actor, Apply, Json, SpaceName, Url
from glymph.tools.blocks import quantity
from glymph.tools.render import NOT_CHANGED


def remove(
    session: Session,
    apply: Apply = False,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Remove a conversation for good, with its notes. What was learnt from it stays until it is
    forgotten.
    """
    with open_history(session, folder, url, space, actor) as history:
        count = history.remove(session) if apply else len(history.messages(session))
    facts = {"dry_run": not apply, "session": session, "messages": count}
    many = quantity(count, "message", "messages")
    text = f"Removed {many}." if apply else f"Would remove {many}, for good. {NOT_CHANGED}"
    output.answer(facts, text, as_json=as_json)
