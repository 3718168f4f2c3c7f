"""trigger_consolidation: learn from what happened, now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.arguments import Texts
from glymph.tools.contract import Arguments, Tool

if TYPE_CHECKING:
    from glymph.client import Glymph


class ConsolidationArguments(Arguments):
    grouping: Texts = Field(
        default_factory=list,
        description="Ways to group episodes, tried in turn: symbol, entity, tag, session, attribute:NAME.",
    )


def run(glymph: Glymph, args: ConsolidationArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.consolidate(grouping=args.grouping or None))
    if result["operation_id"] is None:  # nothing was stored, so there is nothing to undo
        del result["operation_id"]
    return result


TOOL = Tool(
    name="trigger_consolidation",
    command="consolidate",
    description="Make few lessons of many episodes, each claim counted again; say what came of every group.",
    arguments=ConsolidationArguments,
    run=run,
    profile="curator",
)
