"""get_autonomous_status: what upkeep did, when it is due again, what waits, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from glymph.plain import plain
from glymph.tools.contract import Arguments, Tool
from glymph.tools.render import render_upkeep

if TYPE_CHECKING:
    from glymph.client import Glymph


class AutonomousStatusArguments(Arguments):
    pass


def run(glymph: Glymph, args: AutonomousStatusArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.autonomous_status())
    return result


TOOL = Tool(
    name="get_autonomous_status",
    command="autonomous",
    description="Show each upkeep job's last run, next due and outcome, what waits, caps left, "
    "and what to do.",
    arguments=AutonomousStatusArguments,
    run=run,
    profile="curator",
    render=render_upkeep,
    read_only=True,
    idempotent=True,
)
