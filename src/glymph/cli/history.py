"""`glymph history`: what happened to a memory, and the conversations that shorten themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from glymph.cli.options import LOOK, Actor, Apply, Json, SpaceName, Url

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from glymph.client import Glymph
    from glymph.history.history import History
    from glymph.history.policy import HistorySettings
    from glymph.tools.blocks import Line, Table

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
    """Takes a single word that is none of its commands for the id of a memory."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            from glymph.ids import is_uuid7

            words = _words(self.commands[MEMORY], args)
            if len(words) < 2 or is_uuid7(words[0]):
                args = [MEMORY, *args]
        return super().parse_args(ctx, args)


def _words(command: Any, args: Sequence[str]) -> list[str]:
    """Returns the arguments of a command without its options and their values."""
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
    group.command("list")(list_conversations)
    app.add_typer(group, name="history", rich_help_panel=LOOK)


def memory(
    memory_id: Annotated[str, typer.Argument(help="The memory's id.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Show everything that ever happened to a memory."""
    from glymph import environment
    from glymph.cli import output
    from glymph.errors import InvalidInput, MemoryNotFound
    from glymph.plain import plain
    from glymph.tools.render import render_changes

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        try:
            changes = plain(glymph.history(memory_id))
        except MemoryNotFound as error:
            if any(one.session == memory_id for one in glymph.conversations.every()):
                way = SHOWS.format(quote(memory_id))
                raise InvalidInput("id", f"{memory_id!r} is a conversation: {way}") from error
            raise
    output.answer({"history": changes}, [render_changes(changes)], as_json=as_json)


def list_conversations(
    folder: Folder = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """List the conversations of a space in all places, the one in which something was said last
    first.
    """
    from glymph import environment
    from glymph.cli import output
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        if folder is None:
            found, where = plain(glymph.conversations.every()), f"the space {glymph.space}"
        else:
            history = _history_in(glymph, folder)
            where = _where(history)
            found = [{**one, "where": str(folder)} for one in plain(history.sessions())]
    none = f"No conversations in {where}. `History.append` begins one."
    output.answer({"conversations": found}, [_table(found)] if found else none, as_json=as_json)


def _table(conversations: Sequence[Mapping[str, Any]]) -> Table:
    from glymph.tools.blocks import Table, format_time

    rows = [
        [one["session"], str(one["messages"]), str(one["summarised"]),
         format_time(one["newest_at"]) if one["newest_at"] else "", one["where"]]
        for one in conversations
    ]  # fmt: skip
    return Table(["session", "messages>", "in notes>", "newest (UTC)", "where"], rows)


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
    from glymph.cli import output
    from glymph.errors import InvalidInput

    with _open(session, folder, url, space, "user") as history:
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
    from glymph.tools.blocks import Line, quantity

    for title, text in (("Notes", facts["summary"]), ("The agent's page", facts["page"])):
        if text:
            yield Line(title, "bold")
            yield Line(str(text))
    count, newest = facts["messages"], facts["newest"]
    yield Line(f"The newest of {quantity(count, 'message', 'messages')}", "bold")
    yield from _render_messages(newest, count - len(newest) + 1)


def _render_around(facts: Mapping[str, Any]) -> Iterator[Line]:
    from glymph.tools.blocks import Line, quantity

    many = quantity(facts["messages"], "message", "messages")
    yield Line(f"Message {facts['around']} of {many}, and those around it", "bold")
    turns = facts["turns"]
    yield from _render_messages([turn["message"] for turn in turns], turns[0]["number"])


def _render_messages(messages: Sequence[Mapping[str, Any]], first: int) -> Iterator[Line]:
    """Shows messages with their numbers, of which the first is given."""
    from glymph.tools.blocks import Line

    width = len(str(first + len(messages) - 1))
    for number, message in enumerate(messages, first):
        yield Line(f"{number:>{width}} {_describe(message)}")


def _describe(message: Mapping[str, Any]) -> str:
    from glymph.history.messages import read_message

    view = read_message(message)
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
    from glymph.cli import output
    from glymph.plain import plain

    with _open(session, folder, url, space, "user") as history:
        turns = plain(history.search(session, query, limit=limit))
    facts = {"session": session, "turns": turns}
    output.answer(facts, _render_turns(facts, _options(space, folder)), as_json=as_json)


def _render_turns(facts: Mapping[str, Any], where: str) -> Iterator[Line | Table]:
    from glymph.tools.blocks import Line, Table, format_time

    turns = facts["turns"]
    rows = [
        [str(one["number"]), format_time(one["at"]) if one["at"] else "", one["role"]]
        for one in turns
    ]
    yield Table(["message>", "when (UTC)", "who"], rows, [one["text"] for one in turns])
    if turns:
        show = f"glymph history show {quote(facts['session'])}"
        way = f"{show} --around {turns[0]['number']}{where}"
        yield Line(f"What was said before and after: {way}", "dim")
    else:
        yield Line("Nothing was said about it. Other words may find it.")


def _options(space: str, folder: Path | None = None) -> str:
    """Returns the options with which a command means the same place."""
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
    from glymph.cli import output
    from glymph.errors import GlymphError, InvalidInput
    from glymph.history.policy import HistorySettings
    from glymph.plain import plain
    from glymph.tools.blocks import quantity
    from glymph.tools.render import NOT_CHANGED

    if apply and dry_run:
        raise InvalidInput("apply", "--apply and --dry-run are opposites. Use one of them.")
    given = {"consolidation_threshold": threshold, "unit": unit, "keep_recent_ratio": keep}
    settings = HistorySettings.parse(given)
    with _open(session, folder, url, space, actor, settings) as history:
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
    page = [f"Made notes of {many}, by {'a model' if done.by == 'model' else 'rules'}:"]
    page += [*done.notes, *([done.problem] if done.problem else [])]
    output.answer({"session": session, **plain(done)}, page, as_json=as_json)
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
    from glymph.cli import output
    from glymph.tools.blocks import quantity
    from glymph.tools.render import NOT_CHANGED

    with _open(session, folder, url, space, actor) as history:
        count = history.remove(session) if apply else len(history.messages(session))
    facts = {"dry_run": not apply, "session": session, "messages": count}
    many = quantity(count, "message", "messages")
    text = f"Removed {many}." if apply else f"Would remove {many}, for good. {NOT_CHANGED}"
    output.answer(facts, text, as_json=as_json)


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
    from glymph.cli import output
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        done = glymph.conversations.erase(text, apply=apply)
        memories = glymph.conversations.memories_saying(text)
    facts = {"dry_run": not apply, **plain(done), "memories": memories}
    page = [_summarize(plain(done), apply), *done.left, *_advise(text, len(memories), space)]
    output.answer(facts, page, as_json=as_json)
    if done.left:
        raise typer.Exit(1)


def _summarize(erasure: Mapping[str, Any], apply: bool) -> str:
    from glymph.tools.render import NOT_CHANGED, describe_rewritten

    what = describe_rewritten(erasure)
    if not what:
        return "No conversation says it."
    if apply:
        return f"Wrote {what} anew, without it. Backups and exports from before still have it."
    return f"Would write {what} anew, without it. {NOT_CHANGED}"


def _advise(text: str, memories: int, space: str) -> list[str]:
    """Names the command for memories that say it, too."""
    from glymph.tools.blocks import quantity

    if not memories:
        return []
    many = quantity(memories, "memory says", "memories say")
    command = f"glymph forget {quote(text)} --mode purge{_options(space)}"
    return [f"{many} it. To see what would go there: {command}"]


def _open(
    session: str, folder: Path | None, url: str | None, space: str, actor: str,
    settings: HistorySettings | None = None,
) -> AbstractContextManager[History]:  # fmt: skip
    """Opens the history that has a session, in a folder or wherever it lies."""
    from contextlib import contextmanager

    from glymph import environment

    @contextmanager
    def open_() -> Iterator[History]:
        with environment.open_glymph(url, space, actor, create=False) as glymph:
            yield _find_history(glymph, session, folder, settings)

    return open_()


def _find_history(
    glymph: Glymph, session: str, folder: Path | None, settings: HistorySettings | None
) -> History:
    from glymph.errors import InvalidInput

    if folder is None:
        try:
            return glymph.conversations.with_session(session, settings=settings)
        except InvalidInput as error:
            problem = str(error).removeprefix(f"{error.field}: ")
            raise InvalidInput(error.field, f"{problem} {LISTS}") from error
    history = _history_in(glymph, folder, settings)
    if history.exists(session):
        return history
    where = f"the space {glymph.space} lies in {_where(history)}"
    raise InvalidInput("session", f"no conversation {session!r} of {where}. {LISTS}")


def _history_in(glymph: Glymph, folder: Path, settings: HistorySettings | None = None) -> History:
    return glymph.conversations(str(folder), settings=settings)


def _where(history: History) -> str:
    return "the store" if history.folder is None else str(history.folder)
