"""Values that memories carry by name: in their attributes, and in a body that is JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

Scalar = str | int | float | bool
LARGEST = 1e300  # numbers beyond it are not counted with: no average of them could be told


def open_body(body: str) -> tuple[str, Mapping[str, Any]]:
    """Returns the readable text of a body, and what else a JSON body says.

    Any other body is its own text.
    """
    if not body.lstrip().startswith("{"):
        return body, {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return body, {}
    if not isinstance(found, dict):
        return body, {}
    text = found.get("text")
    return text if isinstance(text, str) else body, {
        name: found[name] for name in found if name != "text"
    }


def find_values(attributes: Mapping[str, Any], body: str = "") -> dict[str, Scalar]:
    """Returns the plain values by name: of the attributes, those one level below, and a JSON body.

    Of several with one name the first in this order counts.
    """
    sources = [attributes]
    if body.lstrip().startswith("{"):
        sources.append(open_body(body)[1])
    found: dict[str, Scalar] = {}
    for source in sources:
        inner = [value for value in source.values() if isinstance(value, dict)]
        for level in (source, *inner):
            for name, value in level.items():
                if is_plain(value):
                    found.setdefault(name, value)
    return found


def is_plain(value: object) -> bool:
    """Tells whether a value is a text or a number to count with."""
    return isinstance(value, str | int | float) and value != "" and not is_too_large(value)


def is_too_large(value: object) -> bool:
    """Tells whether a value is a number that nothing can be counted with."""
    return isinstance(value, int | float) and abs(value) > LARGEST
