"""The daemon: runs the chores of every space of a store when they are due, and the jobs that wait
in its queue.

When a chore is due is kept in the store, so a restart neither forgets nor repeats one. What runs in
a space runs under its lease: two daemons, or a daemon and a worker, never do the same thing twice.
"""

from __future__ import annotations

import json
import logging
import threading
import time
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from glymph import telemetry
from glymph.client import Glymph
from glymph.context import Context
from glymph.errors import GlymphError, LeaseLost, ReadOnlyStore, SpaceNotFound, StoreError
from glymph.jobs import pipeline
from glymph.jobs.chores import FAILED, SKIPPED, STOPPED, Chore, chores
from glymph.llm.interrupt import stoppable
from glymph.moments import micros
from glymph.prune.schedule import due, jitter, next_due
from glymph.text.masking import masked_in
from glymph.upkeep import queue
from glymph.upkeep.leases import leased

log = logging.getLogger("glymph.daemon")

LOOK = 60.0  # seconds between two looks at what is due, at most
SHORT = 1.0  # and at least: a store of a thousand spaces has something due every second
SECOND = 1_000_000
NEVER = 2**62
LATER = int(LOOK * SECOND)
REST = timedelta(
    minutes=1
)  # after the first failure of a chore; four times as long after each further one
RESTING, GIVEN_UP = (
    "resting",
    "given up",
)  # how a chore ends that failed: it is tried again soon, or on its beat
TIMES = queue.TIMES


def run(
    glymph: Glymph, spaces: Collection[str] = (), *, stop: threading.Event,
    sleep: Callable[[float], object] | None = None, look: float = LOOK, order: Sequence[Chore] | None = None,
    take_in: Callable[[], object] | None = None,
) -> None:  # fmt: skip
    """Runs what is due in these spaces, or in all there are, until `stop` is set.

    Time is that of the handle's clock. A chore that is under way ends with its current transaction
    or call. `take_in` is called before each round: it may bring sessions that hooks have left
    elsewhere into the queues.
    """
    check(glymph, spaces)
    clock, length = glymph.context.now, int(look * SECOND)
    wake: dict[
        str, int
    ] = {}  # when each space is looked at next: when something is due, and from time to time
    while not stop.is_set():
        try:
            if take_in is not None:
                take_in()
            wake = _round(places(glymph, spaces, stop), order or chores(), stop, wake, length)
        except StoreError as error:  # the spaces cannot even be listed: a lock, a disk that is away
            log.warning("%s: %s", glymph.shown_url, error)
            wake = {}
        if not stop.is_set():
            pause = min(wake.values(), default=NEVER) - micros(clock())
            (sleep or stop.wait)(min(max(pause / SECOND, SHORT), look))


def _round(
    looked_at: Iterable[Context],
    order: Sequence[Chore],
    stop: threading.Event,
    wake: Mapping[str, int],
    length: int,
) -> dict[str, int]:
    """Visits the spaces whose moment has come; the next moment of each space, at most `length`
    away.

    One that is farther off was noted before the clock was set back.
    """
    noted: dict[str, int] = {}
    for place in looked_at:
        now, at = micros(place.now()), wake.get(place.space, 0)
        if not now < at <= now + length:
            pause = _visit(place, order, stop)
            at = micros(place.now()) + min(pause, length)
        noted[place.space] = at
    return noted


def once(
    glymph: Glymph, spaces: Collection[str] = (), *, stop: threading.Event, order: Sequence[Chore] | None = None,
    begin: bool = False,
) -> None:  # fmt: skip
    """Runs what is due now, space after space; with `begin`, what never ran is due."""
    check(glymph, spaces)
    for place in places(glymph, spaces, stop):
        if begin:
            begin_now(place, order or chores())
        _visit(place, order or chores(), stop)


def begin_now(ctx: Context, order: Sequence[Chore]) -> None:
    """Lets what never ran be due at once: nobody waits for its beat."""
    now = micros(ctx.now())
    with ctx.store.writing(ctx.space, None) as writer:
        ran = {row["job"] for row in writer.schedules() if row["last_run_at"] is not None}
        for chore in order:
            if chore.name not in ran:
                writer.set_schedule(chore.name, due_at=now, last_run_at=None, outcome=None)


def places(glymph: Glymph, spaces: Collection[str], stop: threading.Event) -> Iterator[Context]:
    """The workplaces of the spaces there are now, until `stop` is set."""
    for known in glymph.spaces():
        if stop.is_set():
            return
        if not spaces or known.name in spaces:
            yield place_in(glymph, known.name, stop)


def place_in(glymph: Glymph, space: str, stop: threading.Event) -> Context:
    """The workplace for upkeep of a space. Its model is called off once `stop` is set."""
    return replace(stoppable(glymph.context, stop), space=space, embed_soon=_later)


def check(glymph: Glymph, spaces: Collection[str]) -> None:
    """Nothing, if upkeep can be done in all of these spaces; else an error that says why not."""
    if not glymph.context.store.writable:
        raise ReadOnlyStore(glymph.shown_url)
    known = {space.name for space in glymph.spaces()}
    for name in spaces:
        if name not in known:
            raise SpaceNotFound(name)


def _later(ids: Sequence[str]) -> None:
    """Leaves vectors to the step and the chore that make them."""


def _visit(ctx: Context, order: Sequence[Chore], stop: threading.Event) -> int:
    """Does in a space what is due, if nobody else is at work there; how long until its next chore
    is due.
    """
    try:
        moments = schedule(ctx, order)
        if min(moments.values(), default=NEVER) <= micros(ctx.now()) or queue.waiting(ctx):
            with leased(ctx) as held:
                if held is None:
                    log.info("space %s: somebody else is at work there", ctx.space)
                    return LATER
                _work(held, order, stop)
            moments = schedule(ctx, order)
    except (
        GlymphError
    ) as error:  # a full disk, a lost lease, a space that is gone: the next look may do
        log.warning("space %s: %s", ctx.space, error)
        return LATER
    return min(moments.values(), default=NEVER) - micros(ctx.now())


def schedule(ctx: Context, order: Sequence[Chore]) -> dict[str, int]:
    """When each chore is due. What is new, or was kept under another clock, is written down first."""
    now = micros(ctx.now())
    with ctx.reading() as reader:
        kept = {row["job"]: row["due_at"] for row in reader.schedules()}
    wanted = {
        one.name: due(
            kept.get(one.name), one.interval, now, jitter(ctx.space, one.name, one.interval)
        )
        for one in order
    }
    new = {name: due_at for name, due_at in wanted.items() if kept.get(name) != due_at}
    if not new:
        return wanted
    with ctx.store.writing(ctx.space, None) as writer:
        for name, due_at in new.items():
            row = writer.schedule(name)
            if (row["due_at"] if row else None) == kept.get(name):
                told = {"last_run_at": row["last_run_at"], "outcome": row["outcome"]} if row else {}
                writer.set_schedule(
                    name, due_at=due_at, **{"last_run_at": None, "outcome": None, **told}
                )
            elif row:
                wanted[name] = row["due_at"]  # another daemon was first
    return wanted


def _work(ctx: Context, order: Sequence[Chore], stop: threading.Event) -> None:
    """Runs the jobs that wait and the chores that are due. `ctx` is under a lease."""
    before = newest(ctx)
    for job in queue.waiting(ctx):
        if stop.is_set():
            return
        with telemetry.observe("job", job=job.name) as seen:
            how = pipeline.run(ctx, job, stopping=stop.is_set)
            seen.note(ended=how)
        log.info("space %s: job %s %s", ctx.space, job.id, how)
    moments = schedule(ctx, order)
    for chore in order:
        if stop.is_set():
            return
        changed = chore.after_changes and newest(ctx) != before
        if changed or moments[chore.name] <= micros(ctx.now()):
            do(ctx, chore, moments[chore.name], stop)


def newest(ctx: Context) -> int:
    with ctx.reading() as reader:
        return reader.newest_change()


def do(ctx: Context, chore: Chore, due_at: int, stop: threading.Event) -> str:
    """Runs a chore and keeps what it did, and when it is due again; how it ended.

    One that was cut short stays due. One that failed is tried again after a rest, which grows; when
    it has failed too often it is given up until its beat comes round, and counts as a dead letter
    until a run succeeds.
    """
    began, started = micros(ctx.now()), time.perf_counter()
    with telemetry.observe("job", job=chore.name) as seen:
        report = _attempted(ctx, chore, stop)
        ended = next((how for how in (FAILED, SKIPPED, STOPPED) if how in report), "done")
        seen.note(ended=ended)
    told = {"space": ctx.space, "chore": chore.name, "ended": ended, "ms": _ms(started)}
    log.info("space %s: %s %s", ctx.space, chore.name, ended, extra=told)
    if ended == STOPPED:
        return ended
    with ctx.store.writing(ctx.space, None) as writer:
        now = micros(
            ctx.now()
        )  # after the wait for the write lock, in which somebody may have asked for it
        again = next_due(due_at, chore.interval, now)
        kept = writer.schedule(chore.name)
        if kept and kept["due_at"] != due_at and began <= kept["due_at"] <= now:
            again = min(again, kept["due_at"])  # somebody asked for it while it ran
        if ended == FAILED:
            report[TIMES] = failures(writer.schedule(chore.name)) + 1
            ended = GIVEN_UP if report[TIMES] >= queue.ATTEMPTS else RESTING
            if ended == RESTING:
                again = min(
                    again, now + REST // timedelta(microseconds=1) * 4 ** (report[TIMES] - 1)
                )
        writer.set_schedule(chore.name, due_at=again, last_run_at=began, outcome=json.dumps(report))
    return ended


def failures(row: Mapping[str, Any] | None) -> int:
    """How often in a row a chore has failed, by its schedule."""
    report = json.loads(row["outcome"] or "{}") if row else {}
    return int(report.get(TIMES, 1)) if FAILED in report else 0


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


def _attempted(ctx: Context, chore: Chore, stop: threading.Event) -> dict[str, Any]:
    """The report of a chore: the one place where anything that goes wrong in one becomes an
    outcome, masked.
    """
    try:
        return dict(masked_in(chore.run(ctx, stop)))
    except LeaseLost:
        raise
    except GlymphError as error:
        why = masked_in(str(error))
        log.warning("space %s: %s failed: %s", ctx.space, chore.name, why)
        return {FAILED: why, "code": error.code}
    except Exception as error:  # noqa: BLE001  it is logged, masked
        log.error(
            "space %s: %s failed\n%s", ctx.space, chore.name, masked_in(traceback.format_exc())
        )
        return {FAILED: masked_in(f"{type(error).__name__}: {error}")[:500], "code": "Bug"}
