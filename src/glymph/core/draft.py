"""A memory about to be stored: checked field by field before anything is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from reprlib import repr as shortened
from typing import Any, NamedTuple, TypedDict

from glymph.config import Settings
from glymph.core.edges import DEFAULT_WEIGHTS
from glymph.core.sections import IDENTITY_KIND, KINDS, Section, kind_profile
from glymph.core.text import content_hash, derive_title
from glymph.core.timing import optional_micros
from glymph.errors import InvalidInput

_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_SPACE = re.compile(r"[\w][\w.@:/-]{0,127}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUL_IN_JSON = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")  # an even number of backslashes before it are plain text


class NewMemory(TypedDict, total=False):
    """What may be said about a memory besides its text."""

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
    """A checked new memory. Times are microseconds; lists and attributes are JSON texts, as stored."""

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


def draft(
    text: str,
    settings: Settings,
    *,
    title: str | None = None,
    kind: str = "note",
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
    """The checked draft, or InvalidInput naming the first field that cannot be accepted."""
    body = checked_text("text", text, settings.max_text_chars)
    name = derive_title(body) if title is None else checked_text("title", title, settings.max_title_chars)
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


def checked_text(field: str, value: object, longest: int) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, f"expected text, got {type(value).__name__}. Pass a str.")
    if not value.strip():
        raise InvalidInput(field, "is empty. Give at least one character that is not a space.")
    if len(value) > longest:
        raise InvalidInput(field, f"has {len(value):,} characters; at most {longest:,}. Shorten or split it.")
    if "\0" in value or (not value.isascii() and _SURROGATE.search(value)):
        raise InvalidInput(field, "holds a NUL or half a surrogate pair, which no store keeps. Remove it.")
    return value


def optional_text(field: str, value: object, longest: int = 500) -> str | None:
    return None if value is None else checked_text(field, value, longest)


def checked_id(value: object, field: str = "id") -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, f"expected an id as text, got {type(value).__name__}. Pass its `.id`.")
    return value


def checked_list(field: str, values: object) -> list[Any]:
    """The values as a list; refuses one text, which would fall apart into letters, and what is no list."""
    if isinstance(values, str):
        raise InvalidInput(field, f"expected a list, got one text. Pass [{shortened(values)}].")
    if isinstance(values, Mapping | bytes) or not isinstance(values, Iterable):
        raise InvalidInput(field, f"expected a list, got {type(values).__name__}. Put it into [ ].")
    return list(values)


def checked_kind(kind: object) -> str:
    """The kind as given; any lower-case word will do, except the one reserved for the space's identity."""
    if not isinstance(kind, str) or not _KIND.match(kind):
        raise InvalidInput(
            "kind", f"{kind!r} is not a kind. Use a lower-case word such as {', '.join(list(KINDS)[8:14])}."
        )
    if kind == IDENTITY_KIND:
        raise InvalidInput("kind", "'self' is born with the space and exists once. Use update() on it.")
    return kind


def checked_section(kind: str, section: object) -> Section:
    home = kind_profile(kind).section
    if section is None:
        return home
    wanted: Section = one_of("section", section, Section)
    if kind in KINDS and wanted is not home:
        raise InvalidInput("section", f"kind {kind!r} belongs to {home}, not {wanted}. Leave section out.")
    return wanted


def checked_words(field: str, words: Iterable[str] | None, settings: Settings) -> str:
    """The words, trimmed and without repetition, as a JSON list."""
    if words is None or words == ():
        return "[]"
    trimmed = [checked_text(field, word, 200).strip() for word in checked_list(field, words)]
    unique = list(dict.fromkeys(trimmed))
    if len(unique) > settings.max_tags:
        raise InvalidInput(field, f"{len(unique)} given; at most {settings.max_tags}. Keep those that tell most.")
    return json.dumps(unique, ensure_ascii=False)


def checked_attributes(attributes: Mapping[str, Any] | None, settings: Settings) -> str:
    """The attributes as JSON with sorted keys."""
    if attributes is None:
        return "{}"
    if not isinstance(attributes, Mapping) or not all(isinstance(key, str) for key in attributes):
        raise InvalidInput("attributes", "expected a mapping with text keys. Write it like {'symbol': 'BTC'}.")
    try:
        text = json.dumps(dict(attributes), allow_nan=False, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput("attributes", f"not plain JSON ({error}). Leave out NaN, bytes and objects.") from error
    if _SURROGATE.search(text) or _NUL_IN_JSON.search(text):
        raise InvalidInput("attributes", "hold a NUL or half a surrogate pair. Remove it.")
    if len(text.encode()) > settings.max_attributes_bytes:
        raise InvalidInput("attributes", f"over {settings.max_attributes_bytes:,} bytes as JSON. Shorten them.")
    return text


def checked_share(field: str, value: object) -> float:
    """A number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise InvalidInput(field, f"{shortened(value)} is not a number from 0 to 1. Pass e.g. 0.5.")
    return float(value)


def checked_edge_type(value: object) -> str:
    if not isinstance(value, str) or value not in DEFAULT_WEIGHTS:
        near = get_close_matches(str(value), DEFAULT_WEIGHTS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(DEFAULT_WEIGHTS)}."
        raise InvalidInput("type", f"{value!r} is not a link type.{hint}")
    return value


def checked_space(name: object) -> str:
    if not isinstance(name, str) or not _SPACE.match(name):
        raise InvalidInput(
            "space", f"{name!r} cannot name a space. Use letters, digits and . _ @ : / - (at most 128)."
        )
    return name


def one_of(field: str, value: object, choices: Any) -> Any:
    """The member of an enumeration that a value names, in any case."""
    try:
        return choices(str(value).upper())
    except ValueError as error:
        names = ", ".join(str(choice) for choice in choices)
        raise InvalidInput(field, f"{value!r} is not known. Use one of {names}.") from error


def _checked_links(links: object) -> tuple[tuple[str, str], ...]:
    return tuple(_checked_link(link) for link in checked_list("links", links))


def _checked_link(link: object) -> tuple[str, str]:
    """A link given as an id, or as (id, type)."""
    if isinstance(link, str):
        return link, "user_linked"
    if not isinstance(link, tuple | list) or len(link) != 2 or not isinstance(link[0], str):
        raise InvalidInput(
            "links", f"{shortened(link)} is neither an id nor (id, type). A weight is given with link()."
        )
    return link[0], checked_edge_type(link[1])
