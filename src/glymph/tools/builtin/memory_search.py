"""memory_search: look without leaving a trace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.recall.search import say_unanswered
from glymph.tools import data
from glymph.tools.arguments import Filters, Paged
from glymph.tools.brief import brief_hits
from glymph.tools.contract import WORDS, Tool
from glymph.tools.render import render_hits

if TYPE_CHECKING:
    from glymph.client import Glymph


class SearchArguments(Filters, Paged):
    query: str = Field(description="What to look for, in your own words.", json_schema_extra=WORDS)


def run(glymph: Glymph, args: SearchArguments) -> Mapping[str, Any]:
    hits = glymph.search(**args.drop_empty())
    result: dict[str, Any] = {"hits": [data.dump_hit(found) for found in hits]}
    if notice := say_unanswered(hits):
        result["notice"] = notice
    return result


TOOL = Tool(
    name="memory_search",
    command="search",
    description="Find memories without logging or reinforcing anything.",
    arguments=SearchArguments,
    run=run,
    brief=brief_hits,
    profile="curator",
    render=render_hits,
    read_only=True,
    idempotent=True,
    keep_chars=600,
)
