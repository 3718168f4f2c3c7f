"""`glymph dedup`: pairs of memories that say the same, or nearly so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from glymph.cli.options import Json, SpaceName, Url

if TYPE_CHECKING:
    from glymph.model import DuplicateReport

PANEL = "Keep"


def register(app: typer.Typer) -> None:
    app.command("dedup", rich_help_panel=PANEL)(dedup)


def dedup(
    apply: Annotated[
        bool,
        typer.Option(
            "--apply", help="Link the pairs that are near. Duplicates are shown, never merged here."
        ),
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Show at most so many pairs.")] = 50,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Find memories that say the same, or nearly so, in the whole space."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with (
        environment.open_glymph(url, space, "user", create=False) as glymph,
        _progress(quiet=as_json) as tick,
    ):
        found = glymph.find_duplicates(apply=apply, progress=tick)
    shown = found.pairs[:limit]
    if as_json:
        counts = {"duplicates": len(found.duplicates), "near": len(found.near)}
        show.document({"applied": apply, **plain(found), **counts, "pairs": plain(shown)})
        return
    rows = [[pair.verdict, f"{pair.cosine:.3f}", pair.a, pair.b, pair.titles[0]] for pair in shown]
    notes = [f"{pair.titles[1]} ({pair.reason})" for pair in shown]
    show.table(["verdict", "cosine>", "memory", "and", "titles"], rows, notes)
    if len(shown) < len(found.pairs):
        show.line(
            f"{len(found.pairs) - len(shown):,} more: --limit {len(found.pairs)} shows them all."
        )
    show.line(_summary(found, "" if space == "default" else f" --space {space}", apply=apply))


def _summary(found: DuplicateReport, here: str, *, apply: bool) -> str:
    from glymph.cli import show

    compared = f"Compared {show.counted(found.examined, 'memory', 'memories')}"
    if not found.pairs:
        return f"{compared}: no two say the same or nearly so."
    duplicates = show.counted(len(found.duplicates), "pair says", "pairs say")
    near = show.counted(len(found.near), "is near", "are near")
    told = f"{compared}: {duplicates} the same, {near}."
    if found.operation_id:
        return f"{told} Linked {found.linked:,}. Take it back with: glymph undo {found.operation_id}{here}"
    if apply:
        return f"{told} There was nothing to link."
    return f"{told} Link those with: glymph dedup --apply{here}" if found.near else told


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error that moves with the pairs read, where somebody can see it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("comparing"), BarColumn(), TextColumn("{task.completed:,} pairs"),
        console=console, disable=quiet or not console.is_terminal, transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task("dedup", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
