"""`glymph sleep extract`: remembers what a transcript says that will matter later."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Actor, Json, SpaceName, Url
from glymph.cli.progress import show_progress
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.render import render_undo

if TYPE_CHECKING:
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    app.command("extract", rich_help_panel=SLEEP)(extract)


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
    piped = str(transcript) == "-"
    with (
        environment.open_glymph(url, space, actor) as glymph,
        show_progress("reading", "lines" if piped else "bytes", quiet=as_json) as tick,
    ):
        source = _read_stdin() if piped else transcript
        done = glymph.extract(source, session=session, dry_run=dry_run, again=again, progress=tick)
    facts = {**plain(done), "created": done.created, "known": done.known}
    output.answer(facts, _render(facts), as_json=as_json)
    if done.problem is not None:
        raise typer.Exit(1)


def _read_stdin() -> Iterator[str]:
    """Yields the lines of standard input."""
    for line in typer.get_binary_stream("stdin"):
        yield line.decode("utf-8", errors="replace")


def _render(facts: dict[str, Any]) -> Blocks:
    yield Line(_summarize(facts), "bold")
    states = ["known" if one["duplicate_of"] else "new" for one in facts["added"]]
    states = states or [""] * len(facts["found"])  # of a dry run
    found = zip(states, facts["found"], strict=True)
    rows = [[state, one["kind"], one["text"]] for state, one in found]
    yield Table(["", "kind", "statement"], rows)
    for refused in facts["refused"]:
        yield Line(f"  left: {refused['text'][:80]}: {refused['reason']}", "yellow")
    notes = [
        (facts["masked"], "secret was masked", "secrets were masked"),
        (facts["unreadable"], "line could not be read", "lines could not be read"),
    ]
    for count, one, many in notes:
        if count:
            yield Line(f"  {quantity(count, one, many)}.", "dim")
    if facts["problem"]:
        yield Line(f"  stopped: {facts['problem']}", "red")
    for operation in facts["operations"]:
        yield from render_undo(operation)
    if facts["more"]:
        yield Line("  More waits: run it again, without --again.", "dim")


def _summarize(facts: dict[str, Any]) -> str:
    if facts["dry_run"]:
        kept = f"Would keep {quantity(len(facts['found']), 'statement', 'statements')}"
    else:
        kept = f"Kept {quantity(facts['created'], 'new statement', 'new statements')}"
    known = quantity(facts["known"], "was", "were") + " known already." if facts["known"] else ""
    turns = quantity(facts["turns"], "turn", "turns")
    by = {"model": "the model", "reader": "the reader"}.get(facts["by"], "rules")
    return f"{kept} of {turns}, found by {by}. {known}".rstrip()
