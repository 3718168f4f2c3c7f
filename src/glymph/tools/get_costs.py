"""get_costs: what language models have cost, and what may still be spent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.contract import Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class CostsArguments(Arguments):
    days: int = Field(30, ge=1, le=3660, description="How many days to look back.")


def run(glymph: Glymph, args: CostsArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.costs(days=args.days))
    return result


TOOL = Tool(
    name="get_costs",
    command="costs",
    description="Show what language models have cost by job, model and day, and what may still be spent today.",
    arguments=CostsArguments,
    run=run,
    profile="curator",
    read_only=True,
    idempotent=True,
)
