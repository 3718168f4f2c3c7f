"""Runs the demo: plays the half-year, gathers the chapters, and prints them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from examples.demo import life, page, report
from examples.demo.halfyear import DAYS, START
from examples.demo.play import Clock, play
from glymph import Glymph, Settings
from glymph.cli.demo_play import SPACE, refuse_existing
from glymph.write.waiting import find_unreconciled

MOST = 100_000  # memories that are counted
READING = 20.0  # CPU milliseconds per search: seven hundred recalls pass in a minute or two
TEMPORARY = Settings(durability="normal", rerank_ms=READING)  # of a store that does not stay


def run(url: str | None, as_json: bool, seed: int = 7) -> int:
    """Plays, reports and returns the exit status: 0 if the store is sound at the end.

    Without a URL the store is a temporary file that is gone afterwards. With one, the life goes
    into a new space `demo` of that store; an existing one is refused. The user's own settings are
    not read.
    """
    if url is not None:
        refuse_existing(url)
        facts = _live(url, Settings(), seed, quiet=as_json)
        farewell = f"It stays: `glymph status --url {url} --space {SPACE}` shows it."
    else:
        with TemporaryDirectory(prefix="glymph-demo-", ignore_cleanup_errors=True) as folder:
            store = f"sqlite:///{Path(folder, 'demo.db').as_posix()}"
            facts = _live(store, TEMPORARY, seed, quiet=as_json)
        farewell = "It ran in a temporary file, which is gone now; `--url URL` keeps it."
    _print(facts, as_json, farewell)
    return 0 if facts["verification"]["ok"] else 1


def _live(url: str, settings: Settings, seed: int, *, quiet: bool) -> dict[str, Any]:
    clock, days = Clock(START), count(1)
    with Glymph.open(url, space=SPACE, actor="demo", settings=settings, clock=clock) as glymph:
        with _progress("living half a year", "day", DAYS, quiet=quiet) as tick:
            played = play(glymph, clock, life.life(seed), progress=lambda _: tick(next(days)))
        # Most were reconciled in the background while the days went by; this waits for the rest.
        waiting = len(find_unreconciled(glymph.context, MOST))
        with _progress("reconciling the last", "memory", waiting, quiet=quiet) as tick:
            glymph.settle(progress=tick)
        return {"seed": seed, **report.facts(glymph, played)}


@contextmanager
def _progress(what: str, unit: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Shows a bar on standard error, where somebody can see it."""
    console = Console(stderr=True)
    with Progress(
        TextColumn(what), BarColumn(), TextColumn(f"{unit} {{task.completed}} of {{task.total}}"),
        console=console, transient=True, disable=quiet or not console.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)


def _print(facts: dict[str, Any], as_json: bool, farewell: str) -> None:
    if as_json:
        sys.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
        return
    console = Console(highlight=False)
    report.show(console, facts)
    console.print()
    page.say(console, farewell, "dim")


if __name__ == "__main__":
    sys.exit(run(None, as_json=False))
