"""The erase certificate: how each place stands that may hold what was removed for good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from glymph.moments import iso

CLEAN = "clean"
PENDING = "pending"
LEFT = "left"  # it may hold it, and nothing here removes it: somebody has to
NOTHING_FOUND = "nothing was found to remove, and nothing was removed. It proves no erasure."
OUT_OF_REACH = "out of reach"  # beyond the store: no program can tell


@dataclass(frozen=True, slots=True)
class PlaceStatus:
    """One place: clean, pending, left or out of reach, how that was found, and what is to do."""

    name: str
    status: str
    how: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The statement of what a purge can vouch for; it holds no word of what was removed.

    `complete` when every place in the store is clean. What is beyond the store is out of reach,
    and named: it is the reader's to take care of. `completed_at` is when nothing was left to do for
    the store itself. Where nothing was `found` nothing was removed, and it is no proof of anything:
    never complete, it says so.
    """

    operation_id: str
    at: datetime
    places: tuple[PlaceStatus, ...]
    complete: bool
    completed_at: datetime | None = None
    found: bool = True

    @property
    def pending(self) -> tuple[PlaceStatus, ...]:
        return tuple(one for one in self.places if one.status == PENDING)

    @property
    def text(self) -> str:
        """For a reader: one line a place."""
        if not self.found:
            return f"No erase certificate. {self.operation_id}, {iso(self.at)}: {NOTHING_FOUND}"
        head = f"Erase certificate of {self.operation_id}, {iso(self.at)}: "
        left = [one.name for one in self.places if one.status == LEFT]
        beyond = [one.name for one in self.places if one.status == OUT_OF_REACH]
        told = [f"{len(self.pending)} places pending"] if self.pending else []
        told += [f"left as it is: {', '.join(left)}"] if left else []
        told += ["complete in this store"] if self.complete else []
        told += [f"out of reach: {', '.join(beyond)}"] if beyond else []
        head += "; ".join(told) + "."
        width = max((len(one.name) for one in self.places), default=0)
        return "\n".join([head, *(_line(one, width) for one in self.places)])


def _line(one: PlaceStatus, width: int) -> str:
    said = f"{one.detail}; {one.how}" if one.detail else one.how
    return f"  {one.name:<{width}}  {one.status:<{len(OUT_OF_REACH)}}  {said}"


def is_complete(places: Iterable[PlaceStatus]) -> bool:
    """Tells whether every place is clean, but for what is beyond the store."""
    return all(one.status in (CLEAN, OUT_OF_REACH) for one in places)


def is_settled(places: Iterable[PlaceStatus]) -> bool:
    """Tells whether nothing is pending, so that the store itself can do no more."""
    return all(one.status != PENDING for one in places)
