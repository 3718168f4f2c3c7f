"""The lease: one worker at a time in a space. It ends soon after its worker was killed."""

from __future__ import annotations

import logging
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from glymph.context import Context
from glymph.errors import StoreError
from glymph.moments import MICROS_PER_DAY, micros
from glymph.store.lease_fence import FencedStore
from glymph.store.store import Store

log = logging.getLogger("glymph.jobs")

LASTS = 30.0  # seconds without a sign of life after which somebody else may take over
RENEWED = LASTS / 3
LOOKED_BACK = 7 * MICROS_PER_DAY  # for operations that a killed holder left open
WORKERS = ("glymph", "daemon")  # the actors that hold leases


@contextmanager
def hold_lease(ctx: Context) -> Iterator[Context | None]:
    """Takes the lease of a space; gives the context under it, or None while somebody else has it.

    Every transaction that writes through it carries the lease's number, so nothing is handed to the
    background of the handle, which knows none. The lease is renewed until the block ends, and then
    given back. A holder that was away too long gets LeaseLost at the next write.
    """
    fence = _take(ctx)
    if fence is None:
        yield None
        return
    over = threading.Event()
    beat = threading.Thread(
        target=_renew, args=(ctx, fence, over), name="glymph-lease", daemon=True
    )
    beat.start()
    held = replace(
        ctx, store=cast(Store, FencedStore(ctx.store, fence)), settle_soon=lambda ids: None
    )
    try:
        _close_what_was_cut_off(held)
        yield held
    finally:
        over.set()
        beat.join()
        _give_back(ctx, fence)


def _take(ctx: Context) -> int | None:
    holder = f"{socket.gethostname()}:{os.getpid()}"
    with ctx.store.writing(ctx.space, None) as writer:
        # After the wait for the write lock, in which a holder may have renewed.
        now = micros(ctx.now())
        return writer.take_lease(holder, now=now, until=now + int(LASTS * 1_000_000))


def _close_what_was_cut_off(held: Context) -> None:
    """Ends operations that a killed holder left open, so that each can be undone as one.

    Who works under leases is an actor with a name of its own: nobody else's operations are
    touched.
    """
    with held.reading() as reader:
        since = micros(held.now()) - LOOKED_BACK
        left = reader.cut_off(held.actor, since=since) if held.actor in WORKERS else []
    for key in left:
        held.store.close_parent(held.space, key)


def _give_back(ctx: Context, fence: int) -> None:
    """Lets others in at once. If that cannot be written, they wait until the lease runs out."""
    try:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.renew_lease(fence, until=0)
    except StoreError as error:  # what the work itself came to must not be hidden by it
        log.warning("the lease on %s could not be given back: %s", ctx.space, error)


def _renew(ctx: Context, fence: int, over: threading.Event) -> None:
    while not over.wait(RENEWED):
        try:
            with ctx.store.writing(ctx.space, None) as writer:
                if not writer.renew_lease(fence, until=micros(ctx.now()) + int(LASTS * 1_000_000)):
                    return  # the next write of the work itself says so
        except StoreError as error:  # a full disk or a long lock: the next turn may do
            log.warning("the lease on %s could not be renewed: %s", ctx.space, error)
