"""Elsewhere: the whole space in another store.

The same down to the last journal row, and known to be.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from examples.demo import page

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    from glymph.stores import migrate

    with TemporaryDirectory(prefix="glymph-demo-", ignore_cleanup_errors=True) as folder:
        target = f"sqlite:///{Path(folder, 'elsewhere.db').as_posix()}"
        started = perf_counter()
        (moved,) = migrate(glymph.url, target, spaces=[glymph.space]).spaces
        seconds = perf_counter() - started
        (again,) = migrate(glymph.url, target, spaces=[glymph.space]).spaces
    return {
        "rows": moved.rows, "checksum": moved.checksum, "searches": moved.searched,
        "outcome": moved.outcome, "again": again.outcome, "seconds": round(seconds, 2),
    }  # fmt: skip


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "Elsewhere",
        "`glymph store migrate SOURCE TARGET` takes spaces to another store, a file or a "
        "PostgreSQL server, in either direction: memories, trash, tombstones, plans, schedules and "
        "every journal row.",
    )
    page.say(
        console,
        f"{facts['rows']:,} rows in {facts['seconds']:.1f} s, read back: checksum "
        f"{facts['checksum'][:12]}, "
        f"{facts['searches']} searches found the same. Moved again: {facts['again']}.",
        "green",
    )
