"""A store as the holder of a lease uses it.

What it writes is refused once somebody else holds the lease.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from glymph.errors import LeaseLost

if TYPE_CHECKING:
    from glymph.store.contract import Ask, IntentOrMaker
    from glymph.store.store import Store
    from glymph.store.upkeep import UpkeepReader
    from glymph.store.writer import Writer


def check_lease(fence: int, space: UpkeepReader) -> None:
    """Raises LeaseLost unless this is the newest number given out for the space."""
    lease = space.lease()
    if lease is None or lease["fence"] != fence:
        raise LeaseLost(lease["holder"] if lease else "nobody")


class FencedStore:
    """Everything the store offers; each writing transaction carries the number of the lease."""

    def __init__(self, store: Store, fence: int) -> None:
        self._store, self._fence = store, fence

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def writing(
        self, space: str, intent: IntentOrMaker | None, *, fence: int | None = None,
        ahead: Sequence[Ask] = (),
    ) -> AbstractContextManager[Writer]:  # fmt: skip
        return self._store.writing(space, intent, fence=self._fence, ahead=ahead)

    def open_parent(self, space: str, intent: IntentOrMaker, *, fence: int | None = None) -> int:
        return self._store.open_parent(space, intent, fence=self._fence)

    def close_parent(self, space: str, key: int, *, fence: int | None = None) -> None:
        self._store.close_parent(space, key, fence=self._fence)
