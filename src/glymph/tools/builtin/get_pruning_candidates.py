"""get_pruning_candidates: memories that may go, each with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.arguments import Paged
from glymph.tools.blocks import Line, Table
from glymph.tools.contract import Tool
from glymph.tools.render import Blocks

if TYPE_CHECKING:
    from glymph.client import Glymph


class CandidateArguments(Paged):
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
    for one in result["candidates"]:
        del one["why"]  # the reason and the figures beside it say so in fewer tokens
    return result


def render(result: Mapping[str, Any]) -> Blocks:
    rows = [
        [f"{c['priority']:.2f}", c["reason"], f"{c['age_days']:.0f}", f"{c['days_since_use']:.0f}",
         c["connections"], c["memory_id"], c["title"]]
        for c in result["candidates"]
    ]  # fmt: skip
    yield Table(["priority>", "reason", "age>", "idle>", "links>", "id", "title"], rows)
    summary = result["summary"]
    by_reason = summary["by_reason"].items()
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in by_reason if count)
    share = f"{summary['total']:,} of {summary['examined']:,} memories may go"
    yield Line(f"{share}: {reasons}." if reasons else f"{share}.", "dim")


TOOL = Tool(
    name="get_pruning_candidates",
    command="candidates",
    description="List single memories that may go, with reason, age, links and priority, for "
    "execute_prune.",
    arguments=CandidateArguments,
    run=run,
    profile="curator",
    render=render,
    read_only=True,
    idempotent=True,
)
