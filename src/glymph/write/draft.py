"""A memory about to be stored: checked field by field before anything is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from reprlib import repr as shortened
from typing import Any, NamedTuple, TypedDict

from glymph.checks import (
    checked_attributes,
    checked_edge_type,
    checked_kind,
    checked_list,
    checked_section,
    checked_share,
    checked_text,
    checked_words,
    optional_text,
)
from glymph.config import Settings
from glymph.decay.sections import Section
from glymph.errors import InvalidInput
from glymph.moments import optional_micros
from glymph.text.normal import content_hash, derive_title
from glymph.write.past import Past

NO_KIND = "note"  # of what is added without one


class NewMemory(TypedDict, total=False):
    """The details that may be given for a memory besides its text."""

    title: str | None
    kind: str
    section: str | None
    tags: Iterable[str] | None
    entities: Iterable[str] | None
    attributes: Mapping[str, Any] | None
    event_at: datetime | None
    expires_at: datetime | None
    salience: float
    trust: float
    source: str | None
    session: str | None
    links: Sequence[str | tuple[str, str]] | None  # ids, or pairs of id and link type
    pinned: bool


class Draft(NamedTuple):
    """A checked new memory.

    Times are microseconds; lists and attributes are JSON texts, as stored.
    """

    kind: str
    section: Section
    title: str
    text: str
    tags: str
    entities: str
    attributes: str
    event_at: int | None
    expires_at: int | None
    salience: float
    trust: float
    source: str | None
    session: str | None
    pinned: bool
    links: tuple[tuple[str, str], ...]
    content_hash: str
    past: Past | None = None  # of one that is imported


def draft(
    text: str,
    settings: Settings,
    *,
    title: str | None = None,
    kind: str = NO_KIND,
    section: str | None = None,
    tags: Iterable[str] | None = (),
    entities: Iterable[str] | None = (),
    attributes: Mapping[str, Any] | None = None,
    event_at: datetime | None = None,
    expires_at: datetime | None = None,
    salience: float = 0.5,
    trust: float = 1.0,
    source: str | None = None,
    session: str | None = None,
    links: Sequence[str | tuple[str, str]] | None = (),
    pinned: bool = False,
) -> Draft:
    """Returns the checked draft; raises InvalidInput naming the first field it cannot accept."""
    body = checked_text("text", text, settings.max_text_chars)
    name = (
        derive_title(body)
        if title is None
        else checked_text("title", title, settings.max_title_chars)
    )
    event = optional_micros(event_at, "event_at")
    checked = checked_kind(kind)
    return Draft(
        kind=checked,
        section=checked_section(checked, section),
        title=name,
        text=body,
        tags=checked_words("tags", tags, settings),
        entities=checked_words("entities", entities, settings),
        attributes=checked_attributes(attributes, settings),
        event_at=event,
        expires_at=optional_micros(expires_at, "expires_at"),
        salience=checked_share("salience", salience),
        trust=checked_share("trust", trust),
        source=optional_text("source", source),
        session=optional_text("session", session),
        pinned=bool(pinned),
        links=() if links is None or links == () else _checked_links(links),
        content_hash=content_hash(body, checked, event),
    )


def _checked_links(links: object) -> tuple[tuple[str, str], ...]:
    return tuple(_checked_link(link) for link in checked_list("links", links))


def _checked_link(link: object) -> tuple[str, str]:
    """Returns a link given as an id, or as (id, type)."""
    if isinstance(link, str):
        return link, "user_linked"
    if not isinstance(link, tuple | list) or len(link) != 2 or not isinstance(link[0], str):
        raise InvalidInput(
            "links",
            f"{shortened(link)} is neither an id nor (id, type). A weight is given with link().",
        )
    return link[0], checked_edge_type(link[1])
