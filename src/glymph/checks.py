"""Checks of arguments from outside: texts, ids, kinds, words, shares.

Each raises InvalidInput with the next step.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from reprlib import repr as shortened
from typing import Any

from glymph.config import Settings
from glymph.decay.edges import DEFAULT_WEIGHTS
from glymph.decay.sections import IDENTITY_KIND, KINDS, Section, kind_profile
from glymph.errors import InvalidInput

_KIND = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")
_SPACE = re.compile(r"[\w][\w.@:/-]{0,127}\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUL_IN_JSON = re.compile(
    r"(?<!\\)(?:\\\\)*\\u0000"
)  # an even number of backslashes before it are plain text


def show(value: object, longest: int = 200) -> str:
    """Returns a value as an error quotes it, whatever it is: not too long, and never an error."""
    try:
        told = repr(value)
    except (RecursionError, ValueError):  # nested too deeply, or a number of too many digits
        told = f"a {type(value).__name__}"
    return told if len(told) <= longest else f"{told[:longest]}…"


def checked_text(field: str, value: object, longest: int) -> str:
    if not isinstance(value, str):
        raise InvalidInput(field, f"expected text, got {type(value).__name__}. Pass a str.")
    if not value.strip():
        raise InvalidInput(field, "is empty. Give at least one character that is not a space.")
    if len(value) > longest:
        raise InvalidInput(
            field, f"has {len(value):,} characters; at most {longest:,}. Shorten or split it."
        )
    if "\0" in value or (not value.isascii() and _SURROGATE.search(value)):
        raise InvalidInput(
            field, "holds a NUL or half a surrogate pair, which no store keeps. Remove it."
        )
    return value


def optional_text(field: str, value: object, longest: int = 500) -> str | None:
    return None if value is None else checked_text(field, value, longest)


def checked_id(value: object, field: str = "id") -> str:
    if not isinstance(value, str):
        raise InvalidInput(
            field, f"expected an id as text, got {type(value).__name__}. Pass its `.id`."
        )
    return value


def checked_list(field: str, values: object) -> list[Any]:
    """Returns the values as a list.

    Refuses one text, which would fall apart into letters, and what is no list.
    """
    if isinstance(values, str):
        raise InvalidInput(field, f"expected a list, got one text. Pass [{shortened(values)}].")
    if isinstance(values, Mapping | bytes) or not isinstance(values, Iterable):
        raise InvalidInput(field, f"expected a list, got {type(values).__name__}. Put it into [ ].")
    return list(values)


def checked_kind(kind: object) -> str:
    """Returns the kind as given.

    Any lower-case word will do, except the one reserved for the space's identity.
    """
    if not isinstance(kind, str) or not _KIND.match(kind):
        raise InvalidInput(
            "kind",
            f"{show(kind)} is not a kind. Use a lower-case word such as "
            f"{', '.join(list(KINDS)[8:14])}.",
        )
    if kind == IDENTITY_KIND:
        raise InvalidInput(
            "kind", "'self' is born with the space and exists once. Use update() on it."
        )
    return kind


def checked_section(kind: str, section: object) -> Section:
    home = kind_profile(kind).section
    if section is None:
        return home
    wanted: Section = one_of("section", section, Section)
    if kind in KINDS and wanted is not home:
        raise InvalidInput(
            "section", f"kind {kind!r} belongs to {home}, not {wanted}. Leave section out."
        )
    return wanted


def checked_words(field: str, words: Iterable[str] | None, settings: Settings) -> str:
    """Returns the words, trimmed and without repetition, as a JSON list."""
    if words is None or words == ():
        return "[]"
    trimmed = [checked_text(field, word, 200).strip() for word in checked_list(field, words)]
    unique = list(dict.fromkeys(trimmed))
    if len(unique) > settings.max_tags:
        raise InvalidInput(
            field, f"{len(unique)} given; at most {settings.max_tags}. Keep those that tell most."
        )
    return json.dumps(unique, ensure_ascii=False)


def checked_attributes(attributes: Mapping[str, Any] | None, settings: Settings) -> str:
    """Returns the attributes as JSON with sorted keys."""
    if attributes is None:
        return "{}"
    if not isinstance(attributes, Mapping) or not all(isinstance(key, str) for key in attributes):
        raise InvalidInput(
            "attributes", "expected a mapping with text keys. Write it like {'symbol': 'BTC'}."
        )
    try:
        text = json.dumps(dict(attributes), allow_nan=False, ensure_ascii=False, sort_keys=True)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(
            "attributes", f"not plain JSON ({error}). Leave out NaN, bytes and objects."
        ) from error
    if _SURROGATE.search(text) or _NUL_IN_JSON.search(text):
        raise InvalidInput("attributes", "hold a NUL or half a surrogate pair. Remove it.")
    if len(text.encode()) > settings.max_attributes_bytes:
        raise InvalidInput(
            "attributes", f"over {settings.max_attributes_bytes:,} bytes as JSON. Shorten them."
        )
    return text


def checked_share(field: str, value: object) -> float:
    """Returns a number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise InvalidInput(field, f"{shortened(value)} is not a number from 0 to 1. Pass e.g. 0.5.")
    return float(value)


def checked_edge_type(value: object) -> str:
    if not isinstance(value, str) or value not in DEFAULT_WEIGHTS:
        from difflib import get_close_matches  # only a mistake needs it

        near = get_close_matches(show(value).strip("'"), DEFAULT_WEIGHTS, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known: {', '.join(DEFAULT_WEIGHTS)}."
        raise InvalidInput("type", f"{show(value)} is not a link type.{hint}")
    return value


def checked_space(name: object) -> str:
    if not isinstance(name, str) or not _SPACE.match(name):
        raise InvalidInput(
            "space",
            f"{show(name)} cannot name a space. Use letters, digits and . _ @ : / - (at most 128).",
        )
    return name


def one_of(field: str, value: object, choices: Any) -> Any:
    """Returns the member of an enumeration that a value names, in any case."""
    try:
        return choices(str(value).upper())
    except (ValueError, RecursionError) as error:
        names = ", ".join(str(choice) for choice in choices)
        raise InvalidInput(field, f"{show(value)} is not known. Use one of {names}.") from error
