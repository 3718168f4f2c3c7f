"""Giving vectors to memories that have none for their wording: in batches, by anybody, at any time.

What waits is not kept in a list that could be lost: a memory waits as long as it has no vector of
this model.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Iterator, Sequence
from weakref import WeakSet

from glymph.context import Context
from glymph.embed.embedding import wording
from glymph.errors import GlymphError
from glymph.model import MeaningStatus, State
from glymph.moments import micros
from glymph.store.contract import Row
from glymph.store.locks import ProcessLock
from glymph.store.writer import Writer

BATCH = 16  # texts between two commits: little to lose, little to wait for
NEWEST = 2**62
LAST_BATCH = 2.0  # seconds a closing handle waits for the texts that are just being embedded


def backfill(ctx: Context) -> Iterator[int]:
    """Embeds what waits, live memories first, the newest before the older; yields how many so far.

    A run that is cut short has done what it yielded; the next one goes on from there.
    """
    model = ctx.embedding.model
    if model is None:
        return
    done = 0
    for state in (State.LIVE, State.ARCHIVED):
        before = NEWEST
        while batch := _read_waiting(ctx, model, state, before):
            _keep(ctx, model, batch)
            done += len(batch)
            before = batch[-1]["key"]
            yield done


def _read_waiting(ctx: Context, model: tuple[str, int], state: State, before: int) -> list[Row]:
    with ctx.reading() as reader:
        key = reader.model_key(*model)
        return reader.find_unembedded(key, state=state.value, before=before, limit=BATCH)


def _keep(ctx: Context, model: tuple[str, int], batch: Sequence[Row]) -> None:
    vectors = ctx.embedding.encode([row["text"] for row in batch])
    with ctx.store.writing(ctx.space, None) as writer:
        keep_vectors(ctx, writer, batch, vectors)


def keep_vectors(
    ctx: Context, writer: Writer, rows: Sequence[Row], vectors: Sequence[bytes]
) -> None:
    """Stores the vectors of memory rows, in their order."""
    model = ctx.embedding.model
    if model is None or not rows:
        return
    key = writer.add_model(*model, at=micros(ctx.now()), bands=ctx.embedding.bands)
    kept = [
        (row["key"], wording(row["content_hash"]), vector)
        for row, vector in zip(rows, vectors, strict=True)
    ]
    writer.add_vectors(key, kept)


def embed(ctx: Context, ids: Sequence[str]) -> Iterator[int]:
    """Embeds these memories in batches, and yields how many are done so far.

    One that is gone meanwhile is passed over.
    """
    model = ctx.embedding.model
    if model is None:
        return
    for at in range(0, len(ids), BATCH):
        with ctx.reading() as reader:
            rows = list(reader.memories(ids[at : at + BATCH]).values())
        _keep(ctx, model, rows)
        yield at + len(rows)


def tidy(ctx: Context) -> Iterator[int]:
    """Removes the vectors of every other model than the handle's; yields how many so far."""
    own = ctx.embedding.model
    if own is None:
        return  # to a handle without a model every one is another
    with ctx.reading() as reader:
        others = [row["key"] for row in reader.models() if (row["name"], row["dimension"]) != own]
    removed = 0
    for model in others:
        gone = ctx.settings.bulk_chunk
        while gone == ctx.settings.bulk_chunk:
            with ctx.store.writing(ctx.space, None) as writer:
                gone = writer.forget_model(model, limit=ctx.settings.bulk_chunk)
            removed += gone
            yield removed


def count_waiting(ctx: Context) -> int:
    """Returns how many live memories have no vector of the handle's model; 0 without one."""
    model = ctx.embedding.model
    if model is None:
        return 0
    with ctx.reading() as reader:
        return reader.count_unembedded(reader.model_key(*model))


def meaning(ctx: Context, failure: GlymphError | None = None) -> MeaningStatus:
    """Returns the embedder of the handle and how far its vectors are.

    `failure` is what stopped the background.
    """
    told = str(failure or "")
    try:
        own = ctx.embedding.model
    except GlymphError as error:
        own, told = None, str(error)
    with ctx.reading() as reader:
        others = [row for row in reader.models() if (row["name"], row["dimension"]) != own]
    return MeaningStatus(
        embedder=own[0] if own else None,
        dimension=own[1] if own else None,
        waiting=count_waiting(ctx) if own else 0,
        others=tuple((row["name"], row["vectors"]) for row in others),
        absence=ctx.embedding.absence,
        failure=told,
    )


_WORKING: WeakSet[Background] = WeakSet()


@atexit.register
def _stop_all() -> None:
    """Ends the threads of handles that nobody closed.

    A model cut off inside its library would end the program.
    """
    for background in list(_WORKING):
        background.finish(0)


class Background:
    """One thread of a handle that embeds what was added, while the program goes on."""

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._lock = ProcessLock()
        self._thread: threading.Thread | None = None
        self._ids: list[str] = []
        self._process = os.getpid()
        self._looked_back = self._stopped = False
        self.failure: GlymphError | None = None

    def take(self, ids: Sequence[str]) -> None:
        """Embeds these memories soon, and then what earlier handles left waiting."""
        with self._lock:
            if (
                self._stopped
                or self._ctx.embedding.embedder is None
                or (self._looked_back and not ids)
            ):
                return
            if self._process != os.getpid():  # a thread does not follow its program into a fork
                self._thread, self._process = None, os.getpid()
            self._ids += ids
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="glymph-embed", daemon=True)
                self._thread.start()
                _WORKING.add(self)

    def _run(self) -> None:
        try:
            while ids := self._next():
                for _ in embed(self._ctx, ids):
                    if self._stopped:
                        return
            if not self._looked_back:
                for _ in backfill(self._ctx):
                    if self._stopped or self._ids:
                        break
                else:
                    self._looked_back = True
            self.failure = None
        except GlymphError as error:  # doctor tells; the memories stay findable by text, and wait
            self.failure, self._looked_back = error, False
        finally:
            with self._lock:
                self._thread = None
                rest, self._ids = self._ids, []
            if rest and self.failure is None:
                self.take(rest)

    def _next(self) -> list[str]:
        with self._lock:
            ids, self._ids = self._ids, []
            return ids

    def _current_thread(self) -> threading.Thread | None:
        with self._lock:  # until then one that was made may not have been started
            return self._thread

    def finish(self, seconds: float) -> None:
        """Waits for what was asked for, at most so long; the rest waits for the next handle."""
        if self._process != os.getpid():
            return
        ends = time.monotonic() + seconds
        while (
            thread := self._current_thread()
        ) is not None and time.monotonic() < ends:  # one may have started another
            thread.join(ends - time.monotonic())
        with self._lock:
            self._stopped, thread = True, self._thread
        if thread is not None:
            thread.join(LAST_BATCH)
