"""The worker: takes what lies in the spool into the queues of its stores, and runs the jobs that
wait there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from glymph import telemetry
from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import GlymphError, InvalidInput, LeaseLost
from glymph.jobs import pipeline, spool
from glymph.jobs.project import SHARED, space_of
from glymph.upkeep import queue
from glymph.upkeep.leases import leased

log = logging.getLogger("glymph.jobs")

SESSION, UPKEEP = (
    "session",
    "upkeep",
)  # jobs: an ended session; what it also asks of the shared space
POLL = 0.5  # seconds between two looks at a lease that somebody else holds

Where = tuple[str | None, str]  # a store's URL, None for the usual one, and a space
Opened = Callable[[str | None, str, bool], Glymph]  # whether to make what does not exist


@dataclass(slots=True)
class Worked:
    """How many jobs ended in which way, and what could not even be begun."""

    ended: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def count(self, how: str) -> None:
        self.ended[how] = self.ended.get(how, 0) + 1

    def trouble(self, what: str, error: GlymphError) -> None:
        log.warning("%s: %s", what, error)
        self.problems.append(str(error))


def work(
    folder: Path, opened: Opened, *, also: Iterable[Where] = (), stopping: Callable[[], bool] = lambda: False,
    sleep: Callable[[float], None] = time.sleep,
) -> Worked:  # fmt: skip
    """Empties the spool and runs every job that waits in the spaces it names, and in those named
    besides.

    A store that cannot be opened keeps its items in the spool for the next worker; an item that no
    store will ever take is put aside. Only what an item names is made if it does not exist.
    """
    done = Worked()
    for url, space in dict.fromkeys([*also, *take_in(folder, opened, done)]):
        if stopping():
            break
        try:
            _run_space(url, space, opened, done, stopping, sleep)
        except GlymphError as error:
            done.trouble(f"space {space}", error)
    return done


def take_in(folder: Path, opened: Opened, done: Worked) -> list[Where]:
    """Moves what lies in the spool into the queues of its stores; where that was."""
    places: list[Where] = []
    for path, item in spool.items(folder):
        try:
            places += _queued(item, opened)
        except InvalidInput as error:
            done.trouble(f"item {path.name} is put aside", error)
            spool.put_aside(path)
        except GlymphError as error:
            done.trouble(f"item {path.name} stays in the spool", error)
        else:
            path.unlink(missing_ok=True)
    return places


def _queued(item: dict[str, Any], opened: Opened) -> list[Where]:
    """Puts an item into the queue of its space and, if a session ended, of the shared one; where
    that was.
    """
    url, space = item.get("url"), space_of(item)
    payload = {
        name: item.get(name) for name in ("event", "session_id", "transcript_path", "cwd", "reason")
    }
    with opened(url, space, True) as glymph:
        queue.enqueue(glymph.context, str(item["id"]), SESSION, payload)
        shared = space != SHARED and glymph.context.store.has_space(SHARED)
    if not shared or item.get("event") != pipeline.SESSION_END:
        return [(url, space)]
    with opened(url, SHARED, False) as glymph:
        upkeep = {name: item.get(name) for name in ("event", "session_id")}
        queue.enqueue(glymph.context, str(item["id"]), UPKEEP, upkeep)
    return [(url, space), (url, SHARED)]


def _run_space(
    url: str | None, space: str, opened: Opened, done: Worked, stopping: Callable[[], bool],
    sleep: Callable[[float], None],
) -> None:  # fmt: skip
    """Runs the jobs of a space, one after the other; while somebody else does, waits."""
    with opened(url, space, False) as glymph:
        place = glymph.context
        while queue.waiting(place) and not stopping():
            with leased(place) as held:
                if held is not None:
                    _run_jobs(held, done, stopping)
            if held is None:
                sleep(POLL)


def _run_jobs(held: Context, done: Worked, stopping: Callable[[], bool]) -> None:
    """Runs what waits under a lease. Who loses it stops at once, and waits until the new holder is
    done.
    """
    for job in queue.waiting(held):
        if stopping():
            return
        try:
            with telemetry.observe("job", job=job.name) as seen:
                how = pipeline.run(held, job, stopping=stopping)
                seen.note(ended=how)
            done.count(how)
        except LeaseLost as error:
            log.warning("job %s: %s", job.id, error)
            done.count("lost")
            return
