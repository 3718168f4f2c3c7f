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
from glymph.store import foresight
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
    taken = _take(ctx)
    if taken is None:
        yield None
        return
    fence, left = taken
    over = threading.Event()
    beat = threading.Thread(
        target=_renew, args=(ctx, fence, over), name="glymph-lease", daemon=True
    )
    beat.start()
    held = replace(
        ctx, store=cast(Store, FencedStore(ctx.store, fence)), settle_soon=lambda ids: None
    )
    try:
        for key in left:
            held.store.close_parent(held.space, key)
        yield held
    finally:
        over.set()
        beat.join()
        _give_back(ctx, fence)


def _take(ctx: Context) -> tuple[int, list[int]] | None:
    """Takes the lease; returns its number, and the operations that a killed holder left open.

    Those are to be ended, so that each can be undone as one. Who works under leases is an actor
    with a name of its own: nobody else's operations are touched.
    """
    holder, since = f"{socket.gethostname()}:{os.getpid()}", micros(ctx.now()) - LOOKED_BACK
    ahead = [foresight.cut_off(ctx.actor, since)] if ctx.actor in WORKERS else []
    with ctx.store.writing(ctx.space, None, ahead=ahead) as writer:
        # After the wait for the write lock, in which a holder may have renewed.
        now = micros(ctx.now())
        fence = writer.take_lease(holder, now=now, until=now + int(LASTS * 1_000_000))
        if fence is None:
            return None
        return fence, writer.cut_off(ctx.actor, since=since) if ahead else []


def _give_back(ctx: Context, fence: int) -> None:
    """Lets others in at once. If that cannot be written, they wait until the lease runs out."""
    try:
        with ctx.store.writing(ctx.space, None) as writer:
            writer.give_back_lease(fence)
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
