"""`glymph memory history consolidate`: makes notes of all but the newest messages."""

from __future__ import annotations

from typing import Annotated

import typer

from glymph.cli import output
from glymph.cli.history.find import Folder, Session, open_history
from glymph.cli.options import Actor, Apply, Json, SpaceName, Url
from glymph.errors import GlymphError, InvalidInput
from glymph.history.policy import HistorySettings
from glymph.plain import plain
from glymph.tools.blocks import quantity
from glymph.tools.render import NOT_CHANGED

NOTHING = (
    "There is nothing to shorten: all of it is the newest part, of up to {tail:,} {unit}. "
    "A lower --threshold or --keep makes that part smaller."
)

BY = {
    "model": "written by a language model",
    "reader": "in the words of the conversation, chosen by the reader",
    "rules": "in the words of the conversation, chosen by rules",
}
NO_NOTES = "{many} became part of the past without a note: nothing in them seemed worth one."


def consolidate(
    session: Session,
    apply: Apply = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", hidden=True)] = False,
    threshold: Annotated[
        int | None,
        typer.Option(min=1, help="Shorten as if this were the threshold.", show_default=False),
    ] = None,
    unit: Annotated[
        str, typer.Option(metavar="tokens|messages", help="What the threshold counts.")
    ] = "tokens",
    keep: Annotated[
        float, typer.Option(metavar="RATIO", help="How much of the threshold stays as it was said.")
    ] = 0.2,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Make notes of all but the newest messages of a conversation now. The messages stay in its
    transcript.
    """
    if apply and dry_run:
        raise InvalidInput("apply", "--apply and --dry-run are opposites. Use one of them.")
    given = {"consolidation_threshold": threshold, "unit": unit, "keep_recent_ratio": keep}
    settings = HistorySettings.parse(given)
    with open_history(session, folder, url, space, actor, settings) as history:
        cut, stay = history.would_consolidate(session)
        done = history.consolidate(session) if apply and cut else None
    if done is None:
        facts = {"dry_run": not apply, "session": session, "messages": cut, "kept": stay}
        would = f"Would make notes of {quantity(cut, 'message', 'messages')} and keep {stay}."
        text = f"{would} {NOT_CHANGED}" if cut else NOTHING.format(tail=settings.tail, unit=unit)
        output.answer(facts, text, as_json=as_json)
        return
    if done.problem and not done.messages:
        raise GlymphError(f"Nothing was shortened, and nothing is lost: {done.problem}")
    many = quantity(done.messages, "message", "messages")
    page = [f"Made notes of {many}, {BY[done.by]}:" if done.notes else NO_NOTES.format(many=many)]
    page += [*done.notes, *([done.problem] if done.problem else [])]
    output.answer({"session": session, **plain(done)}, page, as_json=as_json)
    if done.problem:
        raise typer.Exit(1)
