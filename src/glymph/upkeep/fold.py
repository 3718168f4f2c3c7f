"""The end of the journal: what is older than it reaches is folded, in short transactions.

Single uses are folded first, after `use_days`: until `journal_days` are over, the past is still
told exactly, but for how often a memory had been used by then. What is told stays true: a moment
before the horizon is an error, and where uses are folded the answer says so.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from glymph.context import Context
from glymph.forget.complete_certificates import complete_certificates
from glymph.moments import AHEAD, MICROS_PER_DAY, micros
from glymph.store.certificate import Certificate
from glymph.store.fold import Folded
from glymph.store.reader import Reader
from glymph.store.writer import Writer

VERB = "fold"
REASON = "older than the journal reaches"
AT_ONCE = 2_000  # entries folded in one transaction
# Upkeep looks back a month for what was touched, whatever the settings say.
LEAST_DAYS = 31
LOOKED = "journal_looked_at"
# A clock that leapt may be wrong, and a fold has no way back: it waits for the next look.
LEAP = 30 * MICROS_PER_DAY


@dataclass(frozen=True, slots=True)
class Compacted:
    """What a compaction gained: bytes before and after, and what was folded.

    With the certificates that waited for it.
    """

    bytes_before: int
    bytes_after: int
    folded: Folded
    certificates: tuple[Certificate, ...]


def compact(ctx: Context) -> Compacted:
    """Folds the journal, writes the store anew and completes the certificates that waited."""
    before = ctx.store.size()
    folded = fold(ctx)
    done = complete_certificates(ctx, compact=True)
    if not done:  # else it was written anew for them
        ctx.store.compact()
    return Compacted(before, ctx.store.size(), folded, tuple(done))


def fold_if_sure(ctx: Context, stop: threading.Event) -> Folded | None:
    """Folds the journal unasked; None, and nothing is done, if the clock has leapt since."""
    now = micros(ctx.now())
    with ctx.store.writing(ctx.space, None) as writer:
        last = writer.counter(LOOKED)
        writer.set_counter(LOOKED, now)
    if last is not None and not 0 <= now - last <= LEAP:
        return None
    return fold(ctx, stop)


def fold(ctx: Context, stop: threading.Event | None = None) -> Folded:
    """Folds what is older than the journal reaches, and uses before that, in short transactions.

    It may be cut off at any instant and goes on from there. Nothing brings back what is folded.
    """
    work = _Folding(ctx, stop or threading.Event())
    lives = work.run(ctx.settings.journal_days, Reader.folded_upto, Writer.fold)
    uses = work.run(ctx.settings.use_days, Reader.uses_folded_upto, Writer.fold_uses)
    return lives + uses


@dataclass(frozen=True, slots=True)
class _Folding:
    """One run; `stop` is looked at between two transactions."""

    ctx: Context
    stop: threading.Event

    def run(
        self, days: int, begin: Callable[[Reader], int], fold: Callable[[Writer, int], Folded]
    ) -> Folded:
        """Folds by steps what is older than so many days."""
        ctx, total = self.ctx, Folded()
        now = micros(ctx.now())
        before = now - max(days, LEAST_DAYS) * MICROS_PER_DAY
        with ctx.reading() as reader:
            upto = reader.fold_horizon(before, now + AHEAD)
        while not self.stop.is_set():
            with ctx.reading() as reader:
                after = begin(reader)
                if after >= upto:
                    break
                step = reader.fold_step(after, upto, entries=AT_ONCE)
            with ctx.operation(VERB, reason=REASON) as op:
                if begin(op.writer) == after:  # nobody else was faster
                    done = fold(op.writer, step)
                    total += done
                    op.writer.describe({"entries": done.entries, "operations": done.operations})
        return total
