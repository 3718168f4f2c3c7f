"""A progress bar on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from glymph.cli.stopping import note_progress


class Tick(Protocol):
    """Moves the bar. A total is given where it is known."""

    def __call__(self, done: int, total: int | None = None, /) -> None: ...


@contextmanager
def show_progress(
    what: str, unit: str, *, quiet: bool, expected: int | None = None
) -> Iterator[Tick]:
    """Shows how many units are done, until the block ends; nothing if quiet or not a terminal."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}"),
        TimeRemainingColumn(compact=True),
        console=console, disable=quiet or not console.is_terminal, transient=True,
    ) as bars:  # fmt: skip
        task = bars.add_task(what, total=expected, count="")

        def tick(done: int, total: int | None = None, /) -> None:
            total = total or expected
            whole = max(total, done) if total else None
            count = f"{done:,} {unit}" if whole is None else f"{done:,} of {whole:,} {unit}"
            note_progress(count)
            bars.update(task, completed=done, total=whole, count=count)

        yield tick
