"""Reading a model's answer: one JSON value and nothing else, or it is refused."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from glymph.errors import MalformedReply

MOST_CHARACTERS = 200_000
_FENCE = re.compile(r"\A```(?:json)?[ \t]*\n(?P<inside>.*)\n[ \t]*```\Z", re.DOTALL)


def strict_json(text: str) -> Any:
    """Returns the one JSON value that the text is.

    It stands alone or is the whole of one Markdown code block. Prose around it, a second value,
    repeated keys and numbers that are not finite are refused: what an answer means must not depend
    on which part of it one reads.
    """
    if len(text) > MOST_CHARACTERS:
        raise MalformedReply(
            f"it has {len(text):,} characters, and {MOST_CHARACTERS:,} are read at most"
        )
    stripped = text.strip()
    block = _FENCE.match(stripped)
    try:
        return json.loads(
            block["inside"] if block else stripped,
            object_pairs_hook=_object,
            parse_constant=_not_a_number,
        )
    except (ValueError, RecursionError) as error:
        raise MalformedReply(f"it is not one JSON value ({_explain(error)})") from error


def _explain(error: Exception) -> str:
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _not_a_number(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number")


def fields(value: Any, required: dict[str, type], where: str = "it") -> dict[str, Any]:
    """Returns the object if it has exactly these fields; raises MalformedReply otherwise."""
    if not isinstance(value, dict):
        raise MalformedReply(f"{where} is not an object")
    if missing := [name for name in required if name not in value]:
        raise MalformedReply(f"{where} lacks {missing[0]!r}")
    if unknown := [name for name in value if name not in required]:
        raise MalformedReply(f"{where} has an unknown field {str(unknown[0])[:40]!r}")
    for name, kind in required.items():
        if not isinstance(value[name], kind) or (
            kind is not bool and isinstance(value[name], bool)
        ):
            raise MalformedReply(f"{name!r} in {where} is not a {kind.__name__}")
    return value
