"""analyze_memory: find groups of memories that have gone stale together, as a plan to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.brief import brief_plan
from glymph.tools.contract import Arguments, Tool
from glymph.tools.cursors import read_cursor, write_cursor
from glymph.tools.render import render_plan

if TYPE_CHECKING:
    from glymph.client import Glymph


NAME = "analyze_memory"


class AnalyzeArguments(Arguments):
    min_staleness: float = Field(
        0.3, ge=0, le=1, description="Only groups at least this stale, 0 to 1."
    )
    max_groups: int = Field(
        20, ge=1, le=1000, description="Most groups to show, the stalest first."
    )
    include_isolated: bool = Field(False, description="Also memories in no group.")
    grouping: str = Field(
        "community",
        description="What belongs together: community (links), entity, tag, session, cluster, "
        "similarity, symbol or attribute:NAME.",
    )
    first_group: int = Field(
        1, ge=1, description="The group to begin with: next_group of an answer that was cut."
    )
    cursor: str | None = Field(
        None, description="next_cursor of an answer that was cut: what follows it."
    )
    budget_tokens: int = Field(4000, ge=500, description="Most tokens of the answer.")


def run(glymph: Glymph, args: AnalyzeArguments) -> Mapping[str, Any]:
    asked = args.model_dump()
    first, budget = asked.pop("first_group"), asked.pop("budget_tokens")
    cursor = asked.pop("cursor")
    place = (first, 0) if cursor is None else data.parse_place(read_cursor(glymph, NAME, cursor))
    part = data.dump_part_of_plan(glymph.analyze(**asked), *place, budget=budget)
    behind = part["next_cursor"]
    return {**part, "next_cursor": behind and write_cursor(glymph, NAME, behind)}


TOOL = Tool(
    name=NAME,
    command="analyze",
    description="Find groups of stale memories, with reasons and impact, as a plan to look at "
    "before pruning.",
    arguments=AnalyzeArguments,
    run=run,
    brief=brief_plan,
    profile="core",
    short=("min_staleness", "include_isolated", "cursor"),
    render=render_plan,
    read_only=False,
    idempotent=True,
    keep_chars=400,
)
