"""get_memory_health: how a space is doing, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from glymph.plain import plain
from glymph.tools.contract import Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class HealthArguments(Arguments):
    pass


def run(glymph: Glymph, args: HealthArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.health())
    return result


TOOL = Tool(
    name="get_memory_health",
    command="health",
    description="Count live, fading, archived and trashed memories, by section and kind.",
    arguments=HealthArguments,
    run=run,
    profile="full",
    read_only=True,
    idempotent=True,
)
