"""What a handle does to find: get, list, search, recall, and what makes finding better."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Unpack

from glymph import learn, recall, upkeep, write
from glymph.client.handle import Handle, exhaust
from glymph.model import (
    DuplicateReport,
    Graph,
    Health,
    Hit,
    MeaningStatus,
    Memory,
    Page,
    Recall,
    Receipt,
)

if TYPE_CHECKING:  # what services take and give; each service is loaded when it is first called
    from glymph.decay.fit import Fit
    from glymph.recall.filters import Filters
    from glymph.recall.search import SearchOptions


# The class has a method `list`, which would shadow the type inside its body.
HitList = list[Hit]


class Finding(Handle):
    """What a handle does to find: get, list, search, recall, and what makes finding better."""

    def get(self, memory_id: str, *, at: datetime | None = None) -> Memory:
        """The memory, in whatever state it is; with `at`, as it stood then."""
        return recall.history.get(self._ctx, memory_id, at=at)

    def list(
        self,
        *,
        limit: int = 100,
        cursor: str | None = None,
        at: datetime | None = None,
        **filters: Unpack[Filters],
    ) -> Page:
        """One page of memories, newest first; with `at`, of those that stood then."""
        return recall.history.list_memories(self._ctx, limit=limit, cursor=cursor, at=at, **filters)

    def search(self, query: str, **options: Unpack[SearchOptions]) -> HitList:
        """The memories that match, best first. Looking never reinforces."""
        return recall.search.search(self._ctx, query, **options)

    def recall(
        self, query: str, *, reinforce: bool = False, **options: Unpack[SearchOptions]
    ) -> Recall:
        """A search whose hits are logged under an id, so that `report` can say which were used."""
        return recall.recall.recall(self._ctx, query, reinforce=reinforce, **options)

    def report(
        self, recall_id: str, *, used: Iterable[str] = (), confirmed: Iterable[str] = (),
        contradicted: Iterable[str] = (),
    ) -> Receipt:  # fmt: skip
        """Says which recalled memories were used, confirmed or contradicted; this alone reinforces."""
        return recall.recall.report(
            self._ctx, recall_id, used=used, confirmed=confirmed, contradicted=contradicted
        )

    def graph(self) -> Graph:
        """Every live memory with its links and clusters, as plain data."""
        return upkeep.overview.graph(self._ctx)

    def health(self) -> Health:
        """Counts by lifecycle, state, section and kind."""
        return upkeep.overview.health(self._ctx)

    def fit(self, *, apply: bool = False, reset: bool = False) -> Fit:
        """How much better other forgetting curves would have foretold which of the shown memories
        are used.

        `apply` adopts those that are better on days they were not fitted to; `reset` takes adopted
        ones back.
        """
        return learn.fit.fit(self._ctx, apply=apply, reset=reset)

    def find_duplicates(
        self, *, apply: bool = False, progress: Callable[[int, int], None] | None = None
    ) -> DuplicateReport:
        """Every pair of live memories that says the same or nearly so. `apply` links those merely
        near.
        """
        return write.duplicates.sweep(self._ctx, apply=apply, progress=progress)

    def meaning(self) -> MeaningStatus:
        """Which embedder the handle uses, or why none, and how many memories wait for their
        vectors.
        """
        return write.backfill.meaning(self._ctx, self._background.failure)

    def embed(self, *, tidy: bool = False, progress: Callable[[int], None] | None = None) -> int:
        """Gives a vector to every memory that waits for one; gives back how many. Cut short, it can
        be repeated.

        `tidy` also removes the vectors of other models, which this handle never compares.
        """
        done = exhaust(write.backfill.backfill(self._ctx), progress)
        if tidy:
            exhaust(write.backfill.tidy(self._ctx), None)
        return done
