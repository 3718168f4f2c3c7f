"""What is wrong with arguments, in words that say how to write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from reprlib import repr as shortened
from typing import Any

from glymph.moments import WRITE_IT

NO_ZONE = "timezone_aware"  # Pydantic's word for a time without one


def say_problems(found: Iterable[Mapping[str, Any]]) -> str:
    """Returns what is wrong, field by field; `found` is what Pydantic lists."""
    return "; ".join(f"{name_field(one)}: {say_problem(one)}" for one in found)


def name_field(found: Mapping[str, Any]) -> str:
    return ".".join(map(str, found["loc"])) or "arguments"


def say_problem(found: Mapping[str, Any]) -> str:
    """Returns what is wrong with one field; of a time, with examples of how it is written."""
    given = shortened(found.get("input"))
    if found["type"] == NO_ZONE:
        return f"{given} has no time zone. {WRITE_IT}"
    if found["type"].startswith("datetime_"):
        return f"{given} is no ISO 8601 time. {WRITE_IT}"
    return str(found["msg"])
