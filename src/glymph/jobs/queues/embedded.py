"""The queue that needs only the store: threads look at what is due, and leases keep order."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from glymph.client import Glymph
from glymph.errors import GlymphError
from glymph.jobs.job import Job
from glymph.jobs.queues.contract import DRAIN, HELD, LIMIT, LOST, Counts, DeadLetter, TakeIn, Ticket
from glymph.jobs.queues.store_jobs import StoreJobs
from glymph.moments import micros

log = logging.getLogger("glymph.worker")

LOOK = 60.0  # seconds between two looks at what is due, at most
AGAIN = 0.5  # seconds until a space is looked at again in which somebody else was at work
GLANCE = 0.2  # seconds between two looks at whether to stop
SECOND = 1_000_000


class EmbeddedQueue:
    """Any number of processes may work on one store. In each, every thread serves another space."""

    def __init__(
        self,
        glymph: Glymph,
        *,
        limit: int = LIMIT,
        jobs: Sequence[Job] | None = None,
        look: float = LOOK,
    ) -> None:
        self._store, self._limit, self._look = StoreJobs(glymph, jobs), limit, look
        self._news = threading.Event()  # something may be due that was not at the last look

    @property
    def limit(self) -> int:
        return self._limit

    def put(self, space: str, job: str) -> bool:
        new = self._store.put(space, job)
        self._news.set()
        return new

    def put_session(self, space: str, row: str, payload: Mapping[str, Any]) -> bool:
        new = self._store.put_session(space, row, payload)
        self._news.set()
        return new

    def counts(self) -> Counts:
        return self._store.counts()

    def dead(self) -> list[DeadLetter]:
        return self._store.dead()

    def retry(self, ticket_id: str) -> DeadLetter:
        letter = self._store.put_back(ticket_id)
        self._news.set()
        return letter

    def run(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        self._store.check()
        crew = _Crew(self._store, self._limit, stop=stop, news=self._news, troubled=self._look)
        while not stop.is_set():
            self._news.clear()
            try:
                if take_in is not None:
                    take_in()
                crew.send(ticket.space for ticket in self._store.find_due(stop))
                pause = self._pause()
            except GlymphError as error:  # the spaces cannot even be listed: the store is away
                log.warning("%s", error)
                pause = self._look
            self._rest(min(pause, crew.patience()), stop)
        return crew.drain(drain)

    def run_dry(
        self, stop: threading.Event, *, take_in: TakeIn | None = None, drain: float = DRAIN
    ) -> bool:
        self._store.check()
        if take_in is not None:
            take_in()
        self._store.mark_new_as_due()
        crew = _Crew(self._store, self._limit, stop=stop, news=self._news)
        while not stop.is_set():
            self._news.clear()
            left = [
                ticket.space for ticket in self._store.find_due(stop) if ticket not in crew.broken
            ]
            if not left and crew.is_idle():
                break
            crew.send(left)
            self._rest(AGAIN, stop)
        return crew.drain(drain)

    def close(self) -> None:
        """Does nothing: the handle belongs to who opened it."""

    def _pause(self) -> float:
        """Returns the seconds until the next job is due, within reason."""
        at = self._store.next_due()
        now = micros(self._store.glymph.context.now())
        return self._look if at is None else min(max((at - now) / SECOND, 1.0), self._look)

    def _rest(self, seconds: float, stop: threading.Event) -> None:
        """Waits so long, or until there are news or it is time to stop."""
        ends = time.monotonic() + seconds
        while not stop.is_set() and (left := ends - time.monotonic()) > 0:
            if self._news.wait(min(left, GLANCE)):
                return


class _Crew:
    """Threads that each serve another space, one job of it after the other."""

    def __init__(
        self, store: StoreJobs, limit: int, *, stop: threading.Event, news: threading.Event,
        troubled: float | None = None,
    ) -> None:  # fmt: skip
        self._store, self._limit, self._stop, self._news = store, limit, stop, news
        # Seconds until a job that could not be begun is tried again; None for never.
        self._troubled = troubled
        self._guard = threading.Lock()
        self._waiting: dict[str, None] = {}  # spaces with something to do, first seen first
        self._served: set[str] = set()
        self._again: set[str] = set()  # those of them that were seen with something to do meanwhile
        self._later: dict[str, float] = {}  # spaces to be left alone, and until when
        self._threads: set[threading.Thread] = set()
        self.broken: set[Ticket] = set()  # jobs that could not even be begun

    def send(self, spaces: Iterable[str]) -> None:
        """Lets these spaces be served, as soon as a thread is free."""
        for space in spaces:
            with self._guard:
                left_alone = self._later.get(space, 0.0) > time.monotonic()
                if space in self._served:
                    self._again.add(space)
                if (
                    space in self._served
                    or space in self._waiting
                    or left_alone
                    or self._stop.is_set()
                ):
                    continue
                self._later.pop(space, None)
                self._waiting[space] = None
                if len(self._threads) >= self._limit:
                    continue
                thread = threading.Thread(target=self._work, name="glymph-job", daemon=True)
                self._threads.add(thread)
            thread.start()

    def is_idle(self) -> bool:
        with self._guard:
            return not self._threads

    def patience(self) -> float:
        """Returns how long to wait until a space that is left alone may be looked at again."""
        with self._guard:
            return max(AGAIN, min(self._later.values(), default=float("inf")) - time.monotonic())

    def drain(self, seconds: float) -> bool:
        """Waits so many seconds for what is under way; returns False if some did not end."""
        ends = time.monotonic() + seconds
        with self._guard:
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, ends - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _work(self) -> None:
        """Serves one space after the other, until none waits."""
        try:
            while (space := self._next()) is not None:
                try:
                    self._serve(space)
                finally:
                    with self._guard:
                        self._served.discard(space)
                        if space in self._again and space not in self._later:
                            self._waiting[space] = None
                        self._again.discard(space)
        finally:
            with self._guard:
                self._threads.discard(threading.current_thread())
            self._news.set()

    def _next(self) -> str | None:
        with self._guard:
            space = next(iter(self._waiting), None)
            if space is None or self._stop.is_set():
                return None
            del self._waiting[space]
            self._served.add(space)
            return space

    def _serve(self, space: str) -> None:
        """Does what is due in a space, until nothing is or somebody else is at work there."""
        while ticket := self._due_in(space):
            try:
                how = self._store.run(ticket, self._stop)
            except GlymphError as error:
                log.warning("job %s: %s", ticket.id, error)
                if self._troubled is None:
                    self.broken.add(ticket)
                return self._put_off(space, self._troubled or AGAIN)
            if how in (HELD, LOST):
                return self._put_off(space, AGAIN)
        return None

    def _due_in(self, space: str) -> Ticket | None:
        if self._stop.is_set():
            return None
        try:
            due = self._store.find_due_in(space, self._stop)
        except GlymphError as error:  # it is gone, or the store is away
            log.warning("space %s: %s", space, error)
            self._put_off(space, self._troubled or AGAIN)
            return None
        return next((ticket for ticket in due if ticket not in self.broken), None)

    def _put_off(self, space: str, seconds: float) -> None:
        with self._guard:
            self._later[space] = time.monotonic() + seconds
