"""`glymph audit`: how healthy the memories of another program, or of a space, are."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import LOOK, Json, SpaceName, Url
from glymph.cli.progress import show_progress
from glymph.errors import InvalidInput
from glymph.plain import plain
from glymph.tools.blocks import Line, Table

if TYPE_CHECKING:
    from glymph.audit.result import Audit
    from glymph.cli.progress import Tick

FAILED = 1
SHOWN = 3  # findings of each check; the page and the JSON have all
WIDTH = 74  # columns of a shown text, which stands indented in a terminal of 80


def register(app: typer.Typer) -> None:
    app.command("audit", rich_help_panel=LOOK)(audit_)


def audit_(
    source: Annotated[
        str | None,
        typer.Argument(
            help="A file or folder that `glymph store import` reads, or a store of Glymph by its "
            "file or URL; left out: the store in use.",
            show_default=False,
        ),
    ] = None,
    url: Url = None,
    space: SpaceName = "default",
    kind: Annotated[
        str | None, typer.Option("--from", help="What it is, if looking at it does not tell.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", help="Also write a page with every finding there.")
    ] = None,
    fail_under: Annotated[
        str | None,
        typer.Option("--fail-under", help="End with status 1 if the grade is worse than this one."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge the memories of another program, or of a space: duplicates, stale, contradictory, junk,
    secrets; nothing is changed.
    """
    from glymph.audit import page
    from glymph.audit.grade import GRADES

    least = None if fail_under is None else fail_under.upper()
    if least is not None and least not in GRADES:
        raise InvalidInput("--fail-under", f"{fail_under!r} is no grade. Use {', '.join(GRADES)}.")
    if html is not None:
        _check_page(html, source or "")
    with show_progress("judging", "memories", quiet=as_json) as tick:
        result = (
            _audit_store(url, space, tick) if source is None else _audit(source, space, kind, tick)
        )
    if html is not None:
        html.write_text(page.render_page(result, datetime.now(UTC)), encoding="utf-8")
    output.answer(plain(result), _render(result, html), as_json=as_json)
    if least is not None and result.grade > least:  # later letters are worse
        raise typer.Exit(FAILED)


def _check_page(html: Path, source: str) -> None:
    """Refuses a page that has no folder to lie in, or would lie in the source."""
    place, read = html.expanduser().resolve(), Path(source).expanduser().resolve()
    if place == read or read in place.parents:
        raise InvalidInput("--html", "nothing is written to the source. Name another place.")
    if not place.parent.is_dir():
        raise InvalidInput("--html", f"there is no folder {place.parent}. Make it first.")


def _audit(source: str, space: str, kind: str | None, tick: Tick) -> Audit:
    from glymph.audit import audit
    from glymph.importers.sources import is_own_store
    from glymph.importers.sqlite_file import copy_whole

    if "://" in source:
        return _audit_store(source, space, tick)
    path = Path(source).expanduser()
    if kind is None and is_own_store(path):
        with copy_whole(path) as copy:  # opening a store leaves files beside it
            return _audit_store(f"{environment.SQLITE}{copy}?mode=ro", space, tick)
    settings, _ = environment.effective_settings()
    return audit(path, kind=kind, settings=settings, progress=tick)


def _audit_store(url: str | None, space: str, tick: Tick) -> Audit:
    from glymph.audit import audit

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        return audit(glymph, progress=tick)


def _render(result: Audit, html: Path | None) -> Iterator[Any]:
    from glymph.audit.result import CHECKS, MEANING

    yield Line(f"Grade {result.grade}: {result.source} ({result.kind})", "bold")
    yield f"{result.flawed:,} of {result.memories:,} memories are a burden."
    rows = [[check, f"{result.counts[check]:,}", MEANING[check]] for check in CHECKS]
    yield Table(["check", "found>", "what"], rows)
    for check in CHECKS:
        for one in [each for each in result.findings if each.check == check][:SHOWN]:
            yield Line(f"{check}: {one.reason}", "dim")
            for shown in one.memories:
                yield f"  {_shorten(shown.text)}"
    for lacking in result.unjudged:
        yield f"Not judged: {lacking}"
    yield result.rule
    if html is not None:
        yield f"Every finding: {html}"


def _shorten(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
