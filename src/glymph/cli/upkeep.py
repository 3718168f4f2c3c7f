"""`glymph extract`, `lifecycle`, `ai-prune`, `fading`, `reinforce`, `surface`: what is done between
sessions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from glymph.cli.options import Actor, Apply, Json, SpaceName, Url

PANEL = "While the agent sleeps"
IfNeeded = Annotated[
    bool,
    typer.Option(
        "--if-needed", help="Do it if it is due, else nothing. Implies --apply: it is for hooks."
    ),
]


def register(app: typer.Typer) -> None:
    for name, command in (
        ("extract", extract), ("lifecycle", lifecycle), ("ai-prune", ai_prune), ("fading", fading),
        ("reinforce", reinforce), ("surface", surface),
    ):  # fmt: skip
        app.command(name, rich_help_panel=PANEL)(command)


def extract(
    transcript: Annotated[
        Path,
        typer.Argument(
            help="A JSONL transcript, of Claude Code or plain; - for standard input.",
            show_default=False,
        ),
    ],
    session: Annotated[
        str | None,
        typer.Option(
            "--session", help="Whose session it is, if it does not say.", show_default=False
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be kept. Asks the model.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Read it from its beginning: after an undo, or with another model."
        ),
    ] = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Remember what a transcript says that will matter later; it is read from where it was left."""
    from glymph import environment
    from glymph.cli import sleeping_pages
    from glymph.plain import plain

    piped = str(transcript) == "-"
    with (
        environment.open_glymph(url, space, actor) as glymph,
        _progress("reading", as_json, unit="lines" if piped else "bytes") as progress,
    ):
        read = _piped() if piped else transcript
        done = glymph.extract(
            read, session=session, dry_run=dry_run, again=again, progress=progress
        )
    told = {**plain(done), "created": done.created, "known": done.known}
    _result(told, sleeping_pages.extraction, as_json=as_json)
    if done.problem is not None:
        raise typer.Exit(1)


def lifecycle(
    if_needed: IfNeeded = False,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Archive what has faded and has a reason to go; trash what it archived long ago."""
    from glymph import environment
    from glymph.cli import sleeping_pages
    from glymph.plain import plain

    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = glymph.lifecycle(if_needed=if_needed, dry_run=not (apply or if_needed))
    _result({**plain(done), "told": done.told}, sleeping_pages.lifecycle, as_json=as_json)


def ai_prune(
    if_needed: IfNeeded = False,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Let the language model nominate what may go; code decides, and only ever archives."""
    from glymph import environment
    from glymph.cli import sleeping_pages
    from glymph.plain import plain

    acting = apply or if_needed
    with (
        environment.open_glymph(url, space, actor, create=False) as glymph,
        _progress("asking", as_json, unit="batches") as progress,
    ):
        done = glymph.ai_prune(if_needed=if_needed, dry_run=not acting, progress=progress)
    _result({"dry_run": not acting, **plain(done)}, sleeping_pages.ai_prune, as_json=as_json)
    if done.ran and not done.complete and acting:
        raise typer.Exit(1)


def fading(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List the lessons, theses and playbooks that fade unless they are used."""
    from glymph import environment
    from glymph.cli import sleeping_pages
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = plain(glymph.fading())
    _result({"fading": found}, sleeping_pages.fading, as_json=as_json)


def reinforce(
    ids: Annotated[list[str], typer.Argument(help="The memories to keep.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Count one use of memories, so that they stay."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = plain(glymph.reinforce(ids))
    show.result(done, as_json=as_json)


def surface(
    tokens: Annotated[
        int | None,
        typer.Option(
            "--tokens", help="Its size; else the setting surface_tokens.", show_default=False
        ),
    ] = None,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Print the digest that a session begins with."""
    from glymph import environment
    from glymph.cli import show
    from glymph.text.tokens import tokens as counted

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        text = glymph.surface(tokens)
    if as_json:
        show.document({"text": text, "tokens": counted(text)})
    else:
        show.line(text or "Nothing to show yet.")


def _piped() -> Iterator[str]:
    """The lines of standard input."""
    for line in typer.get_binary_stream("stdin"):
        yield line.decode("utf-8", errors="replace")


def _result(
    value: dict[str, Any], page: Callable[[dict[str, Any]], None], *, as_json: bool
) -> None:
    from glymph.cli import show

    if as_json:
        show.document(value)
    else:
        page(value)


@contextmanager
def _progress(what: str, quiet: bool, *, unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error that moves while long work runs."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,} " + unit),
        console=console, disable=quiet or not console.is_terminal, transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task(what, total=0)
        yield lambda done, total: progress.update(task, completed=done, total=total)
