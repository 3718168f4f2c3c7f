"""The past of a memory that comes from elsewhere: when it was made, when and how often used."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, TypedDict

from glymph.decay.sections import SECTIONS, Section
from glymph.errors import InvalidInput
from glymph.moments import micros, optional_micros


class PastFields(TypedDict, total=False):
    """What may be given of the past of an imported memory."""

    created_at: datetime | None
    last_used_at: datetime | None
    access_count: int
    stability: float | None


FIELDS = tuple(PastFields.__annotations__)


class Past(NamedTuple):
    """The checked past of an imported memory; moments are microseconds."""

    created_at: int
    last_used_at: int | None
    access_count: int
    stability: float | None  # None: what its kind begins with

    def as_columns(self) -> dict[str, Any]:
        """Returns what the past puts in place of a new memory's figures."""
        known: dict[str, Any] = {
            "created_at": self.created_at,
            "updated_at": self.created_at,
            "last_used_at": self.last_used_at,
            "access_count": self.access_count,
        }
        return known if self.stability is None else known | {"stability": self.stability}


def check_past(fields: Mapping[str, Any], section: Section, now: datetime) -> Past:
    """Returns the checked past; raises InvalidInput naming the first field it cannot accept."""
    today = micros(now)
    created = optional_micros(fields.get("created_at"), "created_at")
    used = optional_micros(fields.get("last_used_at"), "last_used_at")
    for name, at in (("created_at", created), ("last_used_at", used)):
        if at is not None and at > today:
            raise InvalidInput(name, "it lies in the future. Give a moment of the past.")
    if created is None:
        created = today if used is None else used
    if used is not None and used < created:
        raise InvalidInput("last_used_at", "it lies before created_at. Give a later moment.")
    return Past(
        created, used, _check_count(fields.get("access_count", 0)),
        _check_stability(fields.get("stability"), SECTIONS[section].max_stability),
    )  # fmt: skip


def _check_count(count: object) -> int:
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise InvalidInput("access_count", f"{count!r} is not a whole number of at least 0.")
    return count


def _check_stability(days: object, most: float) -> float | None:
    if days is None:
        return None
    if isinstance(days, bool) or not isinstance(days, int | float) or not 0 < days < float("inf"):
        raise InvalidInput("stability", f"{days!r} is not a number of days above 0.")
    return min(float(days), most)
