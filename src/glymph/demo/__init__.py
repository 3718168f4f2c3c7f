"""`glymph demo`: plays half a year of an invented agent's life into a memory and tells what became
of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from glymph.config import Settings

SPACE = "demo"


def run(url: str | None, as_json: bool, seed: int = 7) -> int:
    """Loads, reports and gives back the exit status: 0 if the store is sound at the end.

    Without a URL the store is a temporary file that is gone afterwards. With one, the life goes
    into a new space `demo` of that store; an existing one is refused.
    """
    if url is not None:
        from glymph.environment import effective_settings

        _refuse_existing(url)
        facts = _lived(url, effective_settings()[0], seed, quiet=as_json)
        return _told(
            facts, as_json, f"It stays: `glymph status --url {url} --space {SPACE}` shows it."
        )
    with TemporaryDirectory(prefix="glymph-demo-", ignore_cleanup_errors=True) as folder:
        store = f"sqlite:///{Path(folder, 'demo.db').as_posix()}"
        facts = _lived(store, _passing_settings(), seed, quiet=as_json)
    return _told(
        facts,
        as_json,
        "It ran in a temporary file, which is gone now. `glymph demo --url URL` keeps it.",
    )


def _refuse_existing(url: str) -> None:
    from glymph.errors import InvalidInput
    from glymph.stores import spaces_at

    if any(space.name == SPACE for space in spaces_at(url, create=True)):
        raise InvalidInput(
            "url",
            f"{url} has a space {SPACE!r} already, and the demo never mixes into one. Name another store, "
            f"or remove it with `glymph space delete {SPACE} --url {url}`.",
        )


def _passing_settings() -> Settings:
    """The settings for a store that does not stay: the user's embedder, unless that is a remote
    service.
    """
    from glymph.config import Settings
    from glymph.environment import effective_settings

    embedder = effective_settings()[0].embedder
    return Settings(
        durability="normal", embedder="auto" if embedder.startswith("openai:") else embedder
    )


def _lived(url: str, settings: Settings, seed: int, *, quiet: bool) -> dict[str, Any]:
    from itertools import count

    from glymph.client import Glymph
    from glymph.demo.halfyear import DAYS, START
    from glymph.demo.life import life
    from glymph.demo.play import Clock, play
    from glymph.demo.report import facts

    clock, lived = Clock(START), count(1)
    with Glymph.open(url, space=SPACE, actor="agent", settings=settings, clock=clock) as glymph:
        with _progress("living half a year", "day", DAYS, quiet=quiet) as tick:
            played = play(glymph, clock, life(seed), progress=lambda _: tick(next(lived)))
        # Most were embedded in the background while the days went by; this waits for the rest.
        with _progress(
            "embedding the last", "memory", glymph.meaning().waiting, quiet=quiet
        ) as tick:
            glymph.embed(progress=tick)
        return {"seed": seed, **facts(glymph, played)}


@contextmanager
def _progress(what: str, unit: str, total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A bar on standard error that shows how much is done, where somebody can see it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    console = Console(stderr=True)
    with Progress(
        TextColumn(what), BarColumn(), TextColumn(f"{unit} {{task.completed}} of {{task.total}}"),
        console=console, transient=True, disable=quiet or not console.is_terminal,
    ) as progress:  # fmt: skip
        task = progress.add_task(what, total=total)
        yield lambda done: progress.update(task, completed=done)


def _told(facts: dict[str, Any], as_json: bool, farewell: str) -> int:
    if as_json:
        sys.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")
    else:
        from rich.console import Console

        from glymph.demo import page, report

        console = Console(highlight=False)
        report.show(console, facts)
        console.print()
        page.say(console, farewell, "dim")
    return 0 if facts["verification"]["ok"] else 1
