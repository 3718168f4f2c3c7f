"""What happens in an agent's life: days made of things learned, asked, pinned and put away."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

Links = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Learn:
    """Something to remember. `fields` go to `Glymph.add`; `ref` names it inside the life."""

    at: datetime
    ref: str
    fields: dict[str, Any]
    links: Links = ()  # pairs of ref and link type, to what was learned before
    repeats: str | None = None  # the ref whose words these are, in another case or spacing
    rewords: str | None = None  # the ref that says the same in other words


@dataclass(frozen=True, slots=True)
class Ask:
    """A recall, and the refs the agent made use of, as far as the recall shows them."""

    at: datetime
    query: str
    used: tuple[str, ...] = ()
    confirmed: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PutAway:
    """Memories archived, or deleted into the trash, for a reason."""

    at: datetime
    refs: tuple[str, ...]
    reason: str
    delete: bool = False


@dataclass(frozen=True, slots=True)
class Pin:
    at: datetime
    ref: str
    reason: str


Event = Learn | Ask | PutAway | Pin


@dataclass(frozen=True, slots=True)
class Day:
    date: date
    events: tuple[Event, ...] = field(default=())  # in the order of their times
