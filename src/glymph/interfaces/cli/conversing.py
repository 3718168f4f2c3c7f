"""`glymph history`: what happened to a memory, and the conversations that shorten themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from glymph.interfaces.cli.options import Actor, Apply, Json, SpaceName, Url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from glymph.facade import Glymph
    from glymph.facade.history import History

PANEL = "Look"
MEMORY = "memory"
HELP = "Show what happened to a memory (`glymph history ID`), and look after conversations."

SHOWS = "`glymph history show {}` shows it."

Session = Annotated[str, typer.Argument(metavar="SESSION", help="The conversation's name.", show_default=False)]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder", help="Where conversations lie, or `store`; left out: the usual place.", show_default=False
    ),
]


class Histories(TyperGroup):
    """Takes what is none of its commands for the id of a memory."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and args[0] != "--help":
            args = [MEMORY, *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    group = typer.Typer(cls=Histories, no_args_is_help=True, rich_markup_mode=None, help=HELP)
    for function in (memory, show, search, consolidate, remove, erase):
        group.command(function.__name__)(function)
    group.command("list")(list_)
    app.add_typer(group, name="history", rich_help_panel=PANEL)


def memory(
    memory_id: Annotated[str, typer.Argument(help="The memory's id.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show everything that ever happened to a memory."""
    from glymph.core.plain import plain
    from glymph.errors import InvalidInput, MemoryNotFound
    from glymph.interfaces import environment
    from glymph.interfaces.cli import show as page

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        try:
            changes = plain(glymph.history(memory_id))
        except MemoryNotFound as error:
            if glymph.conversations().exists(memory_id):
                raise InvalidInput("id", f"{memory_id!r} is a conversation: {SHOWS.format(memory_id)}") from error
            raise
    if as_json:
        page.document({"history": changes})
    else:
        page.changes(changes)


def list_(
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """List the conversations of a space, the one in which something was said last first."""
    from glymph.core.plain import plain
    from glymph.interfaces import environment
    from glymph.interfaces.cli import show as page

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        history = _kept(glymph, folder)
        found = plain(history.sessions())
    if as_json:
        page.document({"conversations": found})
        return
    rows = [
        [one["session"], str(one["messages"]), str(one["summarised"]),
         page.when(one["newest_at"]) if one["newest_at"] else ""]
        for one in found
    ]  # fmt: skip
    page.table(["session", "messages>", "in notes>", "newest (UTC)"], rows)
    if not found:
        page.line(f"No conversations in {_where(history)}. `History.append` begins one.")


def show(
    session: Session,
    limit: Annotated[int, typer.Option(help="Newest messages to show.", min=1, max=10_000)] = 20,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show the notes on a conversation, the agent's page and its newest messages."""
    from glymph.core.messages import seen
    from glymph.interfaces.cli import show as page

    with _opened(session, folder, url, space, "user") as history:
        messages = history.messages(session)
        facts = {
            "session": session, "messages": len(messages), "summary": history.summary(session),
            "page": history.page(), "newest": messages[-limit:],
        }  # fmt: skip
    if as_json:
        page.document(facts)
        return
    for title, text in (("Notes", facts["summary"]), ("The agent's page", facts["page"])):
        if text:
            page.line(title, "bold")
            page.line(str(text))
    page.line(f"The newest of {page.counted(len(messages), 'message', 'messages')}", "bold")
    for message in messages[-limit:]:
        view = seen(message)
        said = view.text or "; ".join(result.text for result in view.results)
        page.line(f"{view.role}: {said or '(no words)'}")


def search(
    session: Session,
    query: Annotated[str, typer.Argument(help="What was said, in a few words.", show_default=False)],
    limit: Annotated[int, typer.Option(help="Most turns to show.", min=1, max=100)] = 10,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Find old turns of a conversation, also those that only its notes stand for."""
    from glymph.core.plain import plain
    from glymph.interfaces.cli import show as page

    with _opened(session, folder, url, space, "user") as history:
        turns = plain(history.search(session, query, limit=limit))
    if as_json:
        page.document({"session": session, "turns": turns})
        return
    rows = [[str(one["number"]), page.when(one["at"]) if one["at"] else "", one["role"]] for one in turns]
    page.table(["message>", "when (UTC)", "who"], rows, [one["text"] for one in turns])
    if not turns:
        page.line("Nothing was said about it. Other words may find it.")


def consolidate(
    session: Session,
    apply: Apply = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would happen, which is usual.")
    ] = False,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Make notes of all but the newest messages of a conversation now. The messages stay in its transcript."""
    from glymph.core.plain import plain
    from glymph.errors import GlymphError, InvalidInput
    from glymph.interfaces.cli import show as page

    if apply and dry_run:
        raise InvalidInput("apply", "--apply and --dry-run are opposites. Use one of them.")
    with _opened(session, folder, url, space, actor) as history:
        cut, stay = history.would_consolidate(session)
        done = history.consolidate(session) if apply and cut else None
    if done is None:
        facts = {"dry_run": not apply, "session": session, "messages": cut, "kept": stay}
        many = page.counted(cut, "message", "messages")
        said = f"Would make notes of {many} and keep {stay}. Nothing was changed: add --apply to do it."
        _say(facts, said if cut else "There is nothing to shorten: all of it is the newest part.", as_json)
        return
    if done.problem and not done.messages:
        raise GlymphError(f"Nothing was shortened, and nothing is lost: {done.problem}")
    many = page.counted(done.messages, "message", "messages")
    said = "\n".join([f"Made notes of {many}, by {'a model' if done.by == 'model' else 'rules'}:", *done.notes])
    _say({"session": session, **plain(done)}, said, as_json)


def remove(
    session: Session,
    apply: Apply = False,
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Remove a conversation for good, with its notes. What was learnt from it stays until it is forgotten."""
    from glymph.interfaces.cli import show as page

    with _opened(session, folder, url, space, actor) as history:
        count = history.remove(session) if apply else len(history.messages(session))
    facts = {"dry_run": not apply, "session": session, "messages": count}
    many = page.counted(count, "message", "messages")
    said = f"Removed {many}." if apply else f"Would remove {many}, for good. Nothing was changed: add --apply."
    _say(facts, said, as_json)


def erase(
    text: Annotated[str, typer.Argument(help="What must not stand there any more.", show_default=False)],
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Cut a text out of every conversation of a space, for good. `forget --mode purge` does so by itself."""
    from glymph.core.plain import plain
    from glymph.interfaces import environment
    from glymph.interfaces.cli import show as page

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        done = glymph.erase_from_conversations(text, apply=apply)
    parts = [
        page.counted(done.files, "file", "files") if done.files or not done.messages else "",
        page.counted(done.messages, "message in the store", "messages in the store") if done.messages else "",
    ]
    where = page.counted(done.conversations, "conversation", "conversations")
    what = " and ".join(filter(None, parts))
    said = f"{'Wrote' if apply else 'Would write'} {what} of {where} anew, without it."
    said = "\n".join([said if apply else f"{said} Nothing was changed: add --apply to do it.", *done.left])
    _say({"dry_run": not apply, **plain(done)}, said, as_json)
    if done.left:
        raise typer.Exit(1)


def _say(facts: dict[str, Any], sentence: str, as_json: bool) -> None:
    from glymph.interfaces.cli import show as page

    if as_json:
        page.document(facts)
    else:
        page.line(sentence)


def _opened(
    session: str, folder: Path | None, url: str | None, space: str, actor: str
) -> AbstractContextManager[History]:
    """The histories of a space, if there is one of this session."""
    from contextlib import contextmanager

    from glymph.errors import InvalidInput
    from glymph.interfaces import environment

    @contextmanager
    def opened() -> Iterator[History]:
        with environment.open_glymph(url, space, actor, create=False) as glymph:
            history = _kept(glymph, folder)
            if not history.exists(session):
                raise InvalidInput(
                    "session",
                    f"no conversation {session!r} of the space {glymph.space} lies in {_where(history)}. "
                    "`glymph history list` names those that there are; check --space and --folder, too.",
                )
            yield history

    return opened()


def _kept(glymph: Glymph, folder: Path | None) -> History:
    return glymph.conversations(None if folder is None else str(folder))


def _where(history: History) -> str:
    return "the store" if history.folder is None else str(history.folder)
