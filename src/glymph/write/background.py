"""The background of a handle: a thread that embeds new memories and reconciles them."""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

from glymph import write
from glymph.context import Context
from glymph.errors import GlymphError
from glymph.store.locks import ProcessLock
from glymph.write.waiting import can_reconcile, find_unreconciled

if TYPE_CHECKING:  # loaded when there is something to settle: most handles only search
    from glymph.write.reconcile import Effects

LAST_BATCH = 2.0  # seconds a closing handle waits for the texts that are just being read
AT_EXIT = 60.0  # seconds a program that ends waits for them: see _stop_all
SMALL = 64  # memories that a search waits for
# Seconds without a new memory after which the thread begins: beside somebody who adds one after the
# other it would take turns with them, and read their texts one by one instead of together.
PAUSE = 0.05
LONGEST_WAIT = 1.0  # seconds after which it begins in any case


_WORKING: WeakSet[Background] = WeakSet()


@atexit.register
def _stop_all() -> None:
    """Ends the threads of handles that nobody closed.

    A model cut off inside its library would abort the program, so this waits longer than a handle
    that is closed; the thread stops after the texts it is just reading.
    """
    for background in list(_WORKING):
        background.finish(0, last_batch=AT_EXIT)


class Background:
    """One thread of a handle that settles what was added, while the program goes on."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lock = ProcessLock()
        self._settling = threading.RLock()  # held by whoever reconciles
        self._thread: threading.Thread | None = None
        self._ids: list[str] = []
        self._process = os.getpid()
        self._looked_back = self._stopped = self._woken = False
        self._hurry = threading.Event()  # somebody waits for the thread to end
        self.failure: GlymphError | None = None

    def take(self, ids: Sequence[str]) -> None:
        """Settles these memories soon, and then what earlier handles left waiting."""
        with self._lock:
            if self._stopped or not self._has_work():
                return
            if self._process != os.getpid():  # a thread does not follow its program into a fork
                self._thread, self._process = None, os.getpid()
            self._ids += ids
            self._woken = True
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="glymph-embed", daemon=True)
                self._thread.start()
                _WORKING.add(self)

    def _has_work(self) -> bool:
        return self._ctx.embedding.embedder is not None or can_reconcile(self._ctx)

    @contextmanager
    def resting(self) -> Iterator[Context]:
        """Lets nothing be settled in the background meanwhile: whoever asked does it."""
        with self._settling:
            yield self._ctx

    def settle(self, progress: Callable[[int], None] | None = None) -> dict[str, Effects]:
        """Finishes what waits, vectors and verdicts; returns what was done for each memory."""
        done: dict[str, Effects] = {}
        with self._settling:
            for _ in write.backfill.backfill(self._ctx):
                pass
            for memory_id, effects in write.reconcile.reconcile(self._ctx):
                done[memory_id] = effects
                if progress is not None:
                    progress(len(done))
        return done

    def settle_few(self) -> None:
        """Finishes what waits if it is little, for a search that must see it.

        It waits for no model that takes long, and for none that fails: what waits is found by its
        words meanwhile.
        """
        if self._stopped:
            return
        embedding = self._ctx.embedding
        try:
            waiting = find_unreconciled(self._ctx, SMALL + 1)
            if 0 < len(waiting) <= SMALL and (embedding.embedder is None or embedding.inline):
                with self._settling:
                    write.backfill.embed_newest(self._ctx, len(waiting))
                    for _ in write.reconcile.reconcile(self._ctx):
                        pass
        except GlymphError as error:
            self.failure = error

    def _run(self) -> None:
        try:
            while self._woken:
                self._wait_for_pause()
                for _ in write.backfill.embed(self._ctx, self._next()):
                    if self._stopped:
                        return
                with self._settling:
                    for _ in write.reconcile.reconcile(self._ctx):
                        if self._stopped or self._ids:
                            break
                if self._stopped:
                    return
            if not self._looked_back:
                for _ in write.backfill.backfill(self._ctx):
                    if self._stopped or self._woken:
                        break
                else:
                    self._looked_back = True
            self.failure = None
        except GlymphError as error:  # doctor tells; the memories stay findable by text, and wait
            self.failure, self._looked_back = error, False
        finally:
            with self._lock:
                self._thread = None
                again = self._woken and self.failure is None
            if again:
                self.take(())

    def _wait_for_pause(self) -> None:
        ends = time.monotonic() + LONGEST_WAIT
        while True:
            seen = len(self._ids)
            if self._hurry.wait(PAUSE) or len(self._ids) == seen or time.monotonic() > ends:
                return

    def _next(self) -> list[str]:
        with self._lock:
            ids, self._ids, self._woken = self._ids, [], False
            return ids

    def _current_thread(self) -> threading.Thread | None:
        with self._lock:  # until then one that was made may not have been started
            return self._thread

    def finish(self, seconds: float, *, last_batch: float | None = None) -> None:
        """Waits for what was asked for, at most so long; the rest waits for the next handle."""
        if self._process != os.getpid():
            return
        ends = time.monotonic() + (0 if self._stopped else seconds)
        self._hurry.set()
        while (
            thread := self._current_thread()
        ) is not None and time.monotonic() < ends:  # one may have started another
            thread.join(ends - time.monotonic())
        with self._lock:
            self._stopped, thread = True, self._thread
        if thread is not None:
            thread.join(LAST_BATCH if last_batch is None else last_batch)
