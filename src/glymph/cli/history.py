"""`glymph history`: what happened to a memory, and the conversations that shorten themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from glymph.cli.options import Actor, Apply, Json, SpaceName, Url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from glymph.client import Glymph
    from glymph.client.conversing import Erasure
    from glymph.client.history import History
    from glymph.history.policy import HistorySettings

PANEL = "Look"
MEMORY = "memory"
HELP = "Show what happened to a memory (`glymph history ID`), and look after conversations."

SHOWS = "`glymph history show {}` shows it."
LISTS = "`glymph history list` names all; check --space and --folder, too."
NOTHING = (
    "There is nothing to shorten: all of it is the newest part, of up to {tail:,} {unit}. "
    "A lower --threshold or --keep makes that part smaller."
)
AROUND = 5  # messages before one, and after it

Session = Annotated[
    str, typer.Argument(metavar="SESSION", help="The conversation's name.", show_default=False)
]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="Where conversations lie, or `store`; left out: wherever they are.",
        show_default=False,
    ),
]


class Histories(TyperGroup):
    """Takes what is none of its commands for the id of a memory, unless more words make it a
    command misspelt.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and args[0] != "--help":
            from glymph.ids import is_uuid7

            words = _words(self.commands[MEMORY], args)
            if len(words) < 2 or is_uuid7(words[0]):
                args = [MEMORY, *args]
        return super().parse_args(ctx, args)


def _words(command: Any, args: Sequence[str]) -> list[str]:
    """What stands in the arguments of a command beside its options and their values."""
    valued = {
        name for one in command.params if not getattr(one, "is_flag", True) for name in one.opts
    }
    before = ["", *args]
    return [
        word
        for last, word in zip(before, args, strict=False)
        if last not in valued and word[:1] != "-"
    ]


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
    from glymph import environment
    from glymph.cli import show as page
    from glymph.errors import InvalidInput, MemoryNotFound
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        try:
            changes = plain(glymph.history(memory_id))
        except MemoryNotFound as error:
            if any(one.session == memory_id for one in glymph.every_conversation()):
                way = SHOWS.format(quote(memory_id))
                raise InvalidInput("id", f"{memory_id!r} is a conversation: {way}") from error
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
    """List the conversations of a space in all places, the one in which something was said last
    first.
    """
    from glymph import environment
    from glymph.cli import show as page
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        if folder is None:
            found, where = plain(glymph.every_conversation()), f"the space {glymph.space}"
        else:
            history = _kept(glymph, folder)
            where = _where(history)
            found = [{**one, "where": str(folder)} for one in plain(history.sessions())]
    if as_json:
        page.document({"conversations": found})
        return
    rows = [
        [one["session"], str(one["messages"]), str(one["summarised"]),
         page.when(one["newest_at"]) if one["newest_at"] else "", one["where"]]
        for one in found
    ]  # fmt: skip
    page.table(["session", "messages>", "in notes>", "newest (UTC)", "where"], rows)
    if not found:
        page.line(f"No conversations in {where}. `History.append` begins one.")


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
    from glymph.cli import show as page
    from glymph.errors import InvalidInput

    with _opened(session, folder, url, space, "user") as history:
        messages = history.messages(session)
        facts = {
            "session": session, "messages": len(messages), "summary": history.summary(session),
            "page": history.page(), "newest": messages[-limit:],
        }  # fmt: skip
    if around is not None and around > len(messages):
        raise InvalidInput(
            "around",
            f"the newest message has the number {len(messages)}. Name that or a lower one.",
        )
    if around is not None:
        first, last = max(0, around - 1 - AROUND), min(len(messages), around + AROUND)
        turns = [{"number": at + 1, "message": messages[at]} for at in range(first, last)]
        facts = {"session": session, "messages": len(messages), "around": around, "turns": turns}
    if as_json:
        page.document(facts)
        return
    many = page.counted(len(messages), "message", "messages")
    if around is not None:
        page.line(f"Message {around} of {many}, and those around it", "bold")
        _conversation(messages[first:last], first + 1)
        return
    for title, text in (("Notes", facts["summary"]), ("The agent's page", facts["page"])):
        if text:
            page.line(title, "bold")
            page.line(str(text))
    page.line(f"The newest of {many}", "bold")
    _conversation(messages[-limit:], max(0, len(messages) - limit) + 1)


def _conversation(messages: Sequence[Mapping[str, Any]], first: int) -> None:
    """Messages with their numbers, of which the first is given."""
    from glymph.cli import show as page

    width = len(str(first + len(messages) - 1))
    for number, message in enumerate(messages, first):
        page.line(f"{number:>{width}} {_said(message)}")


def _said(message: Mapping[str, Any]) -> str:
    from glymph.history.messages import seen

    view = seen(message)
    words = view.text or "; ".join(result.text for result in view.results)
    calls = f"(calls {', '.join(call.name for call in view.calls)})" if view.calls else ""
    return f"{view.role}: {' '.join(filter(None, (words, calls))) or '(no words)'}"


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
    from glymph.cli import show as page
    from glymph.plain import plain

    with _opened(session, folder, url, space, "user") as history:
        turns = plain(history.search(session, query, limit=limit))
    if as_json:
        page.document({"session": session, "turns": turns})
        return
    rows = [
        [str(one["number"]), page.when(one["at"]) if one["at"] else "", one["role"]]
        for one in turns
    ]
    page.table(["message>", "when (UTC)", "who"], rows, [one["text"] for one in turns])
    if turns:
        way = f"glymph history show {quote(session)} --around {turns[0]['number']}{_options(space, folder)}"
        page.line(f"What was said before and after: {way}", "dim")
    else:
        page.line("Nothing was said about it. Other words may find it.")


def _options(space: str, folder: Path | None = None) -> str:
    """What a command that is named has to say beside, to mean the same place."""
    elsewhere = "" if folder is None else f" --folder {quote(str(folder))}"
    return elsewhere + ("" if space == "default" else f" --space {quote(space)}")


def consolidate(
    session: Session,
    apply: Apply = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would happen, which is usual.")
    ] = False,
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
    from glymph.cli import show as page
    from glymph.errors import GlymphError, InvalidInput
    from glymph.history.policy import HistorySettings
    from glymph.plain import plain

    if apply and dry_run:
        raise InvalidInput("apply", "--apply and --dry-run are opposites. Use one of them.")
    given = {"consolidation_threshold": threshold, "unit": unit, "keep_recent_ratio": keep}
    settings = HistorySettings.parse(given)
    with _opened(session, folder, url, space, actor, settings) as history:
        cut, stay = history.would_consolidate(session)
        done = history.consolidate(session) if apply and cut else None
    if done is None:
        facts = {"dry_run": not apply, "session": session, "messages": cut, "kept": stay}
        many = page.counted(cut, "message", "messages")
        said = f"Would make notes of {many} and keep {stay}. Nothing was changed: add --apply to do it."
        _say(facts, said if cut else NOTHING.format(tail=settings.tail, unit=unit), as_json)
        return
    if done.problem and not done.messages:
        raise GlymphError(f"Nothing was shortened, and nothing is lost: {done.problem}")
    many = page.counted(done.messages, "message", "messages")
    said = "\n".join(
        [f"Made notes of {many}, by {'a model' if done.by == 'model' else 'rules'}:", *done.notes]
    )
    _say(
        {"session": session, **plain(done)},
        f"{said}\n{done.problem}" if done.problem else said,
        as_json,
    )
    if done.problem:
        raise typer.Exit(1)


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
    from glymph.cli import show as page

    with _opened(session, folder, url, space, actor) as history:
        count = history.remove(session) if apply else len(history.messages(session))
    facts = {"dry_run": not apply, "session": session, "messages": count}
    many = page.counted(count, "message", "messages")
    said = (
        f"Removed {many}."
        if apply
        else f"Would remove {many}, for good. Nothing was changed: add --apply."
    )
    _say(facts, said, as_json)


def erase(
    text: Annotated[
        str, typer.Argument(help="What must not stand there any more.", show_default=False)
    ],
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Cut a text out of every conversation of a space, for good. `forget --mode purge` does so by
    itself.

    Backups and exports from before still have it.
    """
    from glymph import environment
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        done = glymph.erase_from_conversations(text, apply=apply)
        memories = glymph.memories_saying(text)
    said = [_erased(done, apply), *done.left, *_remembered(text, len(memories), space)]
    _say({"dry_run": not apply, **plain(done), "memories": memories}, "\n".join(said), as_json)
    if done.left:
        raise typer.Exit(1)


def _erased(done: Erasure, apply: bool) -> str:
    from glymph.cli.forget import written_anew
    from glymph.plain import plain

    what = written_anew(plain(done))
    if not what:
        return "No conversation says it."
    if apply:
        return f"Wrote {what} anew, without it. Backups and exports from before still have it."
    return f"Would write {what} anew, without it. Nothing was changed: add --apply to do it."


def _remembered(text: str, count: int, space: str) -> list[str]:
    """What to say of memories that say it, too."""
    from glymph.cli import show as page

    if not count:
        return []
    many = page.counted(count, "memory says", "memories say")
    return [
        f"{many} it. To see what would go there: glymph forget {quote(text)} --mode purge{_options(space)}"
    ]


def _say(facts: dict[str, Any], sentence: str, as_json: bool) -> None:
    from glymph.cli import show as page

    if as_json:
        page.document(facts)
    else:
        page.line(sentence)


def _opened(
    session: str, folder: Path | None, url: str | None, space: str, actor: str,
    settings: HistorySettings | None = None,
) -> AbstractContextManager[History]:  # fmt: skip
    """The histories among which a session is, wherever it lies or in a folder."""
    from contextlib import contextmanager

    from glymph import environment

    @contextmanager
    def opened() -> Iterator[History]:
        with environment.open_glymph(url, space, actor, create=False) as glymph:
            yield _with(glymph, session, folder, settings)

    return opened()


def _with(
    glymph: Glymph, session: str, folder: Path | None, settings: HistorySettings | None
) -> History:
    from glymph.errors import InvalidInput

    if folder is None:
        try:
            return glymph.conversations_with(session, settings=settings)
        except InvalidInput as error:
            told = str(error).removeprefix(f"{error.field}: ")
            raise InvalidInput(error.field, f"{told} {LISTS}") from error
    history = _kept(glymph, folder, settings)
    if history.exists(session):
        return history
    where = f"the space {glymph.space} lies in {_where(history)}"
    raise InvalidInput("session", f"no conversation {session!r} of {where}. {LISTS}")


def _kept(glymph: Glymph, folder: Path, settings: HistorySettings | None = None) -> History:
    return glymph.conversations(str(folder), settings=settings)


def _where(history: History) -> str:
    return "the store" if history.folder is None else str(history.folder)
