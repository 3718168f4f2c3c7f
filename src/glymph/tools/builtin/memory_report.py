"""memory_report: say which recalled memories helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.contract import POSITIONAL, Arguments, Tool
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class ReportArguments(Arguments):
    recall_id: str = Field(
        description="The id that memory_recall gave.", json_schema_extra=POSITIONAL
    )
    used: Texts = Field([], description="Ids of memories you used.")
    confirmed: Texts = Field([], description="Ids of memories that proved right.")
    contradicted: Texts = Field([], description="Ids of memories that proved wrong.")


def run(glymph: Glymph, args: ReportArguments) -> Mapping[str, Any]:
    return data.dump_receipt(glymph.report(**args.model_dump()))


TOOL = Tool(
    name="memory_report",
    command="report",
    description="Say which recalled memories were used, confirmed or contradicted; only this "
    "strengthens them.",
    arguments=ReportArguments,
    run=run,
    profile="core",
    render=render_receipt,
)
