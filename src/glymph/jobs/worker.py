"""The worker that hooks start.

It takes what lies in the spool into the queues of its stores, and runs what waits there.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glymph.client import Glymph
from glymph.errors import GlymphError, InvalidInput
from glymph.jobs import registry, runner, spool
from glymph.jobs.project import SHARED, space_of
from glymph.upkeep import queue

log = logging.getLogger("glymph.jobs")

# Kinds of items in a queue: an ended session, and what it also asks of the shared space.
SESSION, UPKEEP = "session", "upkeep"
POLL = 0.5  # seconds between two looks at a lease that somebody else holds
TOLD = ("event", "session_id", "transcript_path", "cwd", "reason")  # of a spooled item

Where = tuple[str | None, str]  # a store's URL, None for the usual one, and a space
Open = Callable[[str | None, str, bool], Glymph]  # the last: make what does not exist


@dataclass(slots=True)
class WorkResult:
    """The numbers of items by the way they ended, and what could not even be begun."""

    ended: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, how: str) -> None:
        self.ended[how] = self.ended.get(how, 0) + 1

    def note_problem(self, what: str, error: GlymphError) -> None:
        log.warning("%s: %s", what, error)
        self.problems.append(str(error))


def work(
    folder: Path,
    open_space: Open,
    *,
    also: Iterable[Where] = (),
    stop: threading.Event | None = None,
    sleep: Callable[[float], object] | None = None,
) -> WorkResult:
    """Empties the spool and runs everything that waits in the spaces it names, and in `also`.

    A store that cannot be opened keeps its items in the spool for the next worker; an item that no
    store will ever take is put aside. Only what an item names is made if it does not exist.
    """
    stop, result = stop or threading.Event(), WorkResult()
    for url, space in dict.fromkeys([*also, *take_in(folder, open_space, result)]):
        if stop.is_set():
            break
        try:
            _run_space(url, space, open_space, result, stop, sleep or stop.wait)
        except GlymphError as error:
            result.note_problem(f"space {space}", error)
    return result


def take_in(folder: Path, open_space: Open, result: WorkResult) -> list[Where]:
    """Moves what lies in the spool into the queues of its stores; returns where that was."""
    taken: list[Where] = []
    for path, item in spool.items(folder):
        try:
            taken += _enqueue(item, open_space)
        except InvalidInput as error:
            result.note_problem(f"item {path.name} is put aside", error)
            spool.put_aside(path)
        except GlymphError as error:
            result.note_problem(f"item {path.name} stays in the spool", error)
        else:
            path.unlink(missing_ok=True)
    return taken


def _enqueue(item: dict[str, Any], open_space: Open) -> list[Where]:
    """Puts an item into the queue of its space, and returns where that was.

    If a session ended, it is put into the queue of the shared space as well.
    """
    url, space = item.get("url"), space_of(item)
    payload = {name: item.get(name) for name in TOLD}
    with open_space(url, space, True) as glymph:
        queue.enqueue(glymph.context, str(item["id"]), SESSION, payload)
        shared = space != SHARED and glymph.context.store.has_space(SHARED)
    if not shared or item.get("event") != runner.ENDS_SESSION:
        return [(url, space)]
    with open_space(url, SHARED, False) as glymph:
        upkeep = {name: item.get(name) for name in ("event", "session_id")}
        queue.enqueue(glymph.context, str(item["id"]), UPKEEP, upkeep)
    return [(url, space), (url, SHARED)]


def _run_space(
    url: str | None,
    space: str,
    open_space: Open,
    result: WorkResult,
    stop: threading.Event,
    sleep: Callable[[float], object],
) -> None:
    """Runs what waits in a space. While somebody else is at work there, waits for them."""
    with open_space(url, space, False) as glymph:
        while queue.find_waiting(glymph.context) and not stop.is_set():
            ended = runner.run_waiting(
                glymph.context, registry.all_jobs(), stop, lambda ticket, how: result.count(how)
            )
            if ended == runner.HELD:
                sleep(POLL)
            elif ended == runner.LOST:
                result.count(ended)
