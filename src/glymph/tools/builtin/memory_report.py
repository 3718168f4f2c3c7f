"""memory_report: say which recalled memories helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.arguments import Texts
from glymph.tools.brief import brief_receipt
from glymph.tools.contract import Arguments, Tool, ids_of
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.client import Glymph


class ReportArguments(Arguments):
    recall_id: str = Field(
        description="The id that memory_recall gave.",
        json_schema_extra=ids_of("recall", positional=True),
    )
    used: Texts = Field([], description="Ids that you used.", json_schema_extra=ids_of("memory"))
    confirmed: Texts = Field(
        [], description="Ids that proved right.", json_schema_extra=ids_of("memory")
    )
    contradicted: Texts = Field(
        [], description="Ids that proved wrong.", json_schema_extra=ids_of("memory")
    )


def run(glymph: Glymph, args: ReportArguments) -> Mapping[str, Any]:
    return data.dump_receipt(glymph.report(**args.model_dump()))


TOOL = Tool(
    name="memory_report",
    command="report",
    description="Say which recalled memories were used, confirmed or contradicted; only this "
    "strengthens them.",
    arguments=ReportArguments,
    run=run,
    brief=brief_receipt,
    profile="core",
    render=render_receipt,
)
