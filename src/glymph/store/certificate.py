"""The erase certificate: how each place stands that may hold what was removed for good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from glymph.moments import iso

CLEAN = "clean"
PENDING = "pending"
OUT_OF_REACH = "out of reach"


@dataclass(frozen=True, slots=True)
class PlaceStatus:
    """One place: clean, pending or out of reach, how that was found, and what is left to do."""

    name: str
    status: str
    how: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Certificate:
    """The statement of what a purge can vouch for; it holds no word of what was removed.

    `complete` when no place is pending; what is out of reach is named, and the reader's to take
    care of.
    """

    operation_id: str
    at: datetime
    places: tuple[PlaceStatus, ...]
    complete: bool
    completed_at: datetime | None = None

    @property
    def pending(self) -> tuple[PlaceStatus, ...]:
        return tuple(one for one in self.places if one.status == PENDING)

    @property
    def text(self) -> str:
        """For a reader: one line a place."""
        head = f"Erase certificate of {self.operation_id}, {iso(self.at)}: "
        head += "complete." if self.complete else f"{len(self.pending)} places pending."
        width = max((len(one.name) for one in self.places), default=0)
        return "\n".join([head, *(_line(one, width) for one in self.places)])


def _line(one: PlaceStatus, width: int) -> str:
    said = f"{one.detail}; {one.how}" if one.detail else one.how
    return f"  {one.name:<{width}}  {one.status:<{len(OUT_OF_REACH)}}  {said}"


def is_complete(places: Iterable[PlaceStatus]) -> bool:
    """Tells whether nothing is pending."""
    return all(one.status != PENDING for one in places)
