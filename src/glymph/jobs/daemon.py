"""The daemon: runs what is due in every space of a store, until it is told to stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import GlymphError, StoreError
from glymph.jobs import registry
from glymph.jobs.contexts import contexts_of, require_writable
from glymph.jobs.job import Job
from glymph.jobs.registry import scheduled_jobs
from glymph.jobs.runner import DONE, run_due
from glymph.jobs.schedule import mark_new_as_due, read_schedule
from glymph.moments import micros
from glymph.upkeep import queue

log = logging.getLogger("glymph.daemon")

LOOK = 60.0  # seconds between two looks at what is due, at most
SHORT = 1.0  # and at least: a store of a thousand spaces has something due every second
SECOND = 1_000_000
NEVER = 2**62
LATER = int(LOOK * SECOND)


def run(
    glymph: Glymph,
    spaces: Collection[str] = (),
    *,
    stop: threading.Event,
    sleep: Callable[[float], object] | None = None,
    look: float = LOOK,
    jobs: Sequence[Job] | None = None,
    take_in: Callable[[], object] | None = None,
) -> None:
    """Runs what is due in these spaces, or in all there are, until `stop` is set.

    Time is that of the handle's clock. A job that is under way ends with its current transaction
    or call. `take_in` is called before each round: it may bring sessions that hooks have left
    elsewhere into the queues.
    """
    require_writable(glymph, spaces)
    jobs = registry.all_jobs() if jobs is None else jobs
    clock, length = glymph.context.now, int(look * SECOND)
    wake: dict[str, int] = {}  # the moment at which each space is looked at next
    while not stop.is_set():
        try:
            if take_in is not None:
                take_in()
            wake = _visit_all(contexts_of(glymph, spaces, stop), jobs, stop, wake, length)
        except StoreError as error:  # the spaces cannot even be listed: a lock, a disk that is away
            log.warning("%s: %s", glymph.shown_url, error)
            wake = {}
        if not stop.is_set():
            pause = min(wake.values(), default=NEVER) - micros(clock())
            (sleep or stop.wait)(min(max(pause / SECOND, SHORT), look))


def run_once(
    glymph: Glymph,
    spaces: Collection[str] = (),
    *,
    stop: threading.Event,
    jobs: Sequence[Job] | None = None,
    begin: bool = False,
) -> None:
    """Runs what is due now, space after space; with `begin`, jobs that never ran are due."""
    require_writable(glymph, spaces)
    jobs = registry.all_jobs() if jobs is None else jobs
    for ctx in contexts_of(glymph, spaces, stop):
        if begin:
            mark_new_as_due(ctx, jobs)
        _visit(ctx, jobs, stop)


def _visit_all(
    contexts: Iterable[Context],
    jobs: Sequence[Job],
    stop: threading.Event,
    wake: Mapping[str, int],
    length: int,
) -> dict[str, int]:
    """Visits the spaces whose moment has come; returns the next moment of each.

    That is at most `length` away. One that is farther off was noted before the clock was set back.
    """
    noted: dict[str, int] = {}
    for ctx in contexts:
        now, at = micros(ctx.now()), wake.get(ctx.space, 0)
        if not now < at <= now + length:
            pause = _visit(ctx, jobs, stop)
            at = micros(ctx.now()) + min(pause, length)
        noted[ctx.space] = at
    return noted


def _visit(ctx: Context, jobs: Sequence[Job], stop: threading.Event) -> int:
    """Runs what is due in a space; returns the microseconds until its next job is due."""
    scheduled = scheduled_jobs(jobs)
    try:
        moments = read_schedule(ctx, scheduled)
        if min(moments.values(), default=NEVER) <= micros(ctx.now()) or queue.find_waiting(ctx):
            if run_due(ctx, jobs, stop) != DONE:
                return LATER
            moments = read_schedule(ctx, scheduled)
    except GlymphError as error:  # a full disk or a space that is gone: the next look may do
        log.warning("space %s: %s", ctx.space, error)
        return LATER
    return min(moments.values(), default=NEVER) - micros(ctx.now())
