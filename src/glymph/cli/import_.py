"""`glymph store import`: an export of Glymph into a new space, or what another program keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Actor, Apply, Json, SpaceName, Url
from glymph.cli.progress import show_progress
from glymph.errors import InvalidInput
from glymph.importers import sources
from glymph.plain import plain
from glymph.tools.blocks import Line, quantity
from glymph.tools.render import render_undo

if TYPE_CHECKING:
    from glymph.importers.keep import ImportReport

SHOWN = 5  # refusals that are named


def register(app: typer.Typer) -> None:
    app.command("import", rich_help_panel=KEEP)(import_)


def import_(
    source: Annotated[Path, typer.Argument(help="The file or folder to read.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    kind: Annotated[
        str | None,
        typer.Option("--from", help="What it is, if looking at it does not tell."),
    ] = None,
    apply: Apply = False,
    into: Annotated[
        str | None,
        typer.Option(
            "--into", help="Of an export of Glymph: the space to make; left out: its own name."
        ),
    ] = None,
    without: Annotated[
        bool,
        typer.Option(
            "--without-tombstones",
            help="Of an export of Glymph: give up what it keeps from being learnt again.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Take in what another program keeps (mem0, ChromaDB, LangGraph, Claude, ChatGPT, Markdown, …),
    or an export of Glymph.

    What others keep is shown first and stored with --apply; what was removed for good here stays
    out. An export of Glymph is loaded at once, into a space that is new or still empty.
    """
    if kind is None and (not source.exists() or sources.is_own_export(source)):
        _load_export(source, url, into=into, without=without, as_json=as_json)
        return
    if into is not None or without:
        option = "--into" if into is not None else "--without-tombstones"
        raise InvalidInput(
            option, f"{source.name} is no export of Glymph. Leave it out; --space names the space."
        )
    from glymph.importers import import_from

    with (
        environment.open_glymph(url, space, actor) as glymph,
        show_progress("reading", "memories", quiet=as_json) as tick,
    ):
        report = import_from(glymph, source, kind=kind, apply=apply, progress=tick)
    output.answer(plain(report), _render(report), as_json=as_json)


def _load_export(
    path: Path, url: str | None, *, into: str | None, without: bool, as_json: bool
) -> None:
    with (
        environment.open_whole(url, create=True) as glymph,
        show_progress("loading", "rows", quiet=as_json) as tick,
    ):
        done = glymph.import_(path, space=into, tombstones=not without, progress=tick)
    facts = {"path": str(path), "rows": done.rows, "kept_out": done.kept_out}
    text = f"{done.rows:,} rows loaded from {path}."
    output.answer(facts, text + describe_kept_out(done.kept_out, "stayed"), as_json=as_json)


def describe_kept_out(count: int, verb: str) -> str:
    """Says how many memories tombstones kept out; empty if none."""
    many = quantity(count, "memory", "memories")
    return f" {many} {verb} out: removed for good on request." if count else ""


def _render(report: ImportReport) -> Iterator[Any]:
    many = quantity(report.read, "memory", "memories")
    yield Line(f"{report.source} ({report.kind}): {many} read.", "bold")
    for title in report.titles:
        yield f"  {title}"
    if report.new > len(report.titles):
        yield f"  … and {report.new - len(report.titles):,} more"
    verb = "imported" if report.applied else "new"
    yield f"{report.new:,} {verb}.{_describe_rest(report)}"
    for one in report.refused[:SHOWN]:
        yield f"  left out: {one.id} ({one.reason})"
    if report.applied and report.operation_id:
        yield from render_undo(report.operation_id)
    elif not report.applied and report.new:
        yield "Nothing was written. Run it with --apply to import them."


def _describe_rest(report: ImportReport) -> str:
    told = [
        (report.known, "known already"),
        (report.repeated, "said twice in the source"),
        (len(report.refused), "left out"),
    ]
    parts = "".join(f" {count:,} {what}." for count, what in told if count)
    if report.secrets:
        verb = "masked" if report.applied else "will be masked"
        parts += f" {quantity(report.secrets, 'secret', 'secrets')} {verb}."
    return parts + describe_kept_out(report.kept_out, "stay" if not report.applied else "stayed")
