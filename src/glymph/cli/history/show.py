"""`glymph memory history show`: the notes on a conversation and its newest messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph.cli import output
from glymph.cli.history.find import Folder, Session, open_history
from glymph.cli.options import Json, SpaceName, Url
from glymph.errors import InvalidInput
from glymph.history.messages import read_message
from glymph.tools.blocks import Line, quantity

if TYPE_CHECKING:
    from glymph.tools.blocks import Line

AROUND = 5  # messages before one, and after it


def show(
    session: Session,
    limit: Annotated[int, typer.Option(help="Newest messages to show.", min=1, max=10_000)] = 20,
    around: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Show the message of this number, with {AROUND} before and after.",
            show_default=False,
        ),
    ] = None,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show the notes on a conversation, the agent's page and its newest messages."""
    with open_history(session, folder, url, space, "user") as history:
        messages = history.messages(session)
        notes, page = history.summary(session), history.page()
    count = len(messages)
    if around is None:
        facts = {
            "session": session, "messages": count, "summary": notes, "page": page,
            "newest": messages[-limit:],
        }  # fmt: skip
        output.answer(facts, _render_newest(facts), as_json=as_json)
        return
    if around > count:
        newest = f"the newest message has the number {count}. Name that or a lower one."
        raise InvalidInput("around", newest)
    first, last = max(0, around - 1 - AROUND), min(count, around + AROUND)
    turns = [{"number": at + 1, "message": messages[at]} for at in range(first, last)]
    facts = {"session": session, "messages": count, "around": around, "turns": turns}
    output.answer(facts, _render_around(facts), as_json=as_json)


def _render_newest(facts: Mapping[str, Any]) -> Iterator[Line]:
    for title, text in (("Notes", facts["summary"]), ("The agent's page", facts["page"])):
        if text:
            yield Line(title, "bold")
            yield Line(str(text))
    count, newest = facts["messages"], facts["newest"]
    yield Line(f"The newest of {quantity(count, 'message', 'messages')}", "bold")
    yield from _render_messages(newest, count - len(newest) + 1)


def _render_around(facts: Mapping[str, Any]) -> Iterator[Line]:
    many = quantity(facts["messages"], "message", "messages")
    yield Line(f"Message {facts['around']} of {many}, and those around it", "bold")
    turns = facts["turns"]
    yield from _render_messages([turn["message"] for turn in turns], turns[0]["number"])


def _render_messages(messages: Sequence[Mapping[str, Any]], first: int) -> Iterator[Line]:
    """Shows messages with their numbers, of which the first is given."""
    width = len(str(first + len(messages) - 1))
    for number, message in enumerate(messages, first):
        yield Line(f"{number:>{width}} {_describe(message)}")


def _describe(message: Mapping[str, Any]) -> str:
    view = read_message(message)
    words = view.text or "; ".join(result.text for result in view.results)
    calls = f"(calls {', '.join(call.name for call in view.calls)})" if view.calls else ""
    return f"{view.role}: {' '.join(filter(None, (words, calls))) or '(no words)'}"
