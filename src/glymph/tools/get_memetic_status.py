"""get_memetic_status: how the memory is doing as a whole, and what to put in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from glymph.plain import plain
from glymph.tools.contract import Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class MemeticStatusArguments(Arguments):
    pass


def run(glymph: Glymph, args: MemeticStatusArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.memetic_status())
    return result


TOOL = Tool(
    name="get_memetic_status",
    command="memetics",
    description="Show entropy, coherence and stage of the memory, what to do next, and the call for each task.",
    arguments=MemeticStatusArguments,
    run=run,
    profile="curator",
    read_only=True,
    idempotent=True,
)
