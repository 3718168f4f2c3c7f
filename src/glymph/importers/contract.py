"""What an importer is, and what it reads: single memories, or whole conversations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from glymph.learn.transcript import Turn

NOT_IT, COMMON, OWN = 0, 1, 2  # how surely an importer knows a source: by its form, by its marks


@dataclass(frozen=True, slots=True)
class Item:
    """One memory as its source keeps it."""

    text: str
    id: str  # what its source calls it
    place: str = ""  # the file it stands in, without the folders of the machine
    title: str | None = None
    kind: str = "note"
    created_at: datetime | None = None
    updated_at: datetime | None = None  # its present wording
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    access_count: int = 0
    stability: float | None = None  # days; None: what its kind begins with
    trust: float = 1.0
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    session: str | None = None
    about: Mapping[str, Any] = field(default_factory=dict)  # other fields of the source


@dataclass(frozen=True, slots=True)
class Conversation:
    """A talk; only what of it is worth keeping becomes memories."""

    id: str
    place: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Importer:
    """A kind of source: what it is called, how it is recognised, and how it is read.

    `recognise` returns NOT_IT, COMMON for a form that many programs write, or OWN for the marks of
    one program. `read` raises SourceDamaged where the source cannot be read to its end.
    """

    what: str
    recognise: Callable[[Path], int]
    read: Callable[[Path], Iterator[Item | Conversation]]
