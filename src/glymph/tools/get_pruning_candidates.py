"""get_pruning_candidates: memories that may go, each with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.contract import Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class CandidateArguments(Arguments):
    limit: int = Field(
        20, ge=1, le=1000, description="Most candidates to give back, the first to go first."
    )
    min_staleness_days: float | None = Field(
        None,
        ge=0,
        description="Days without use from which a memory is stale: 30, or 21 after 500 recalls.",
    )
    min_alignment: float = Field(
        0.4, ge=0, le=1, description="Similarity to a goal below which it is off them."
    )


def run(glymph: Glymph, args: CandidateArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.candidates(**args.model_dump()))
    return result


TOOL = Tool(
    name="get_pruning_candidates",
    command="candidates",
    description="List single memories that may go, with reason, age, links and priority, for execute_prune.",
    arguments=CandidateArguments,
    run=run,
    profile="curator",
    read_only=True,
    idempotent=True,
)
