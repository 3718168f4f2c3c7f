"""`glymph embed`: vectors for the memories that wait for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from glymph.cli.options import Json, SpaceName, Url

PANEL = "Keep"


def register(app: typer.Typer) -> None:
    app.command("embed", rich_help_panel=PANEL)(embed)


def embed(
    tidy: Annotated[
        bool,
        typer.Option(
            "--tidy", help="Also remove the vectors of other models, which are never compared."
        ),
    ] = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Give a vector to every memory that waits for one. Cut short, it can be repeated."""
    from time import perf_counter

    from glymph import environment
    from glymph.cli import show
    from glymph.errors import GlymphError

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        before = glymph.meaning()
        if before.embedder is None:
            raise GlymphError(before.failure or before.absence or show.SWITCHED_OFF)
        started = perf_counter()
        with _progress(before.waiting, quiet=as_json) as tick:
            done = glymph.embed(tidy=tidy, progress=tick)
        seconds = perf_counter() - started
        after = glymph.meaning()
    facts = {
        "embedder": after.embedder,
        "dimension": after.dimension,
        "embedded": done,
        "waiting": after.waiting,
        "seconds": round(seconds, 3),
        "per_second": round(done / seconds, 1),
        "removed": sum(n for _, n in before.others) - sum(n for _, n in after.others),
    }
    if as_json:
        show.document(facts)
    else:
        show.embedded(facts)


@contextmanager
def _progress(total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar on standard error that moves with the memories, where somebody can see it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn("embedding"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}"),
        TimeRemainingColumn(compact=True),
        console=console, disable=quiet or not console.is_terminal, transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task("embed", total=total)
        # Archived memories come after the live ones that were counted.
        yield lambda done: progress.update(task, completed=done, total=max(total, done))
