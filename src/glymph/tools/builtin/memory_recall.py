"""memory_recall: look, and be able to say afterwards what helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.tools import data
from glymph.tools.arguments import Filters
from glymph.tools.blocks import Line
from glymph.tools.brief import brief_hits
from glymph.tools.contract import WORDS, Tool
from glymph.tools.render import Blocks, render_hits

if TYPE_CHECKING:
    from glymph.client import Glymph


class RecallArguments(Filters):
    query: str = Field(
        description="What you need to know, in your own words.", json_schema_extra=WORDS
    )
    reinforce: bool = Field(False, description="Count every hit as used at once, without a report.")


def run(glymph: Glymph, args: RecallArguments) -> Mapping[str, Any]:
    found = glymph.recall(**args.drop_empty())
    result: dict[str, Any] = {"recall_id": found.id, "hits": [data.dump_hit(h) for h in found]}
    if found.notice:
        result["notice"] = found.notice
    return result


def render(result: Mapping[str, Any]) -> Blocks:
    yield from render_hits(result)
    if result["hits"] and result["recall_id"]:
        yield Line(f"Say what helped: glymph memory report {result['recall_id']} --used ID", "dim")


TOOL = Tool(
    name="memory_recall",
    command="recall",
    description="Recall memories for use; report with memory_report which ones helped.",
    arguments=RecallArguments,
    run=run,
    brief=brief_hits,
    profile="core",
    short=("query", "limit", "kinds", "tags", "states"),
    render=render,
    keep_chars=600,
)
