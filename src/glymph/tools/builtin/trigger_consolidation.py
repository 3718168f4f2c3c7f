"""trigger_consolidation: learn from what happened, now."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.arguments import Texts
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.contract import Arguments, Tool
from glymph.tools.progress import tell_progress
from glymph.tools.render import Blocks, render_undo, render_usage

if TYPE_CHECKING:
    from glymph.client import Glymph


EXPLANATIONS = {
    "no pattern": "nothing recurs that is more than chance",
    "waiting": "it was not looked at",
}


class ConsolidationArguments(Arguments):
    grouping: Texts = Field(
        default_factory=list,
        description="Ways to group episodes, tried in turn: symbol, entity, tag, session, cluster, "
        "community, similarity, attribute:NAME.",
    )


def run(glymph: Glymph, args: ConsolidationArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(
        glymph.consolidate(grouping=args.grouping or None, progress=tell_progress)
    )
    if result["operation_id"] is None:  # nothing was stored, so there is nothing to undo
        del result["operation_id"]
    return result


def render(result: Mapping[str, Any]) -> Blocks:
    if not result["ran"]:
        yield Line(f"Nothing done: {result['why']}.")
        return
    groups = result["groups"]
    episodes = quantity(result["episodes_reviewed"], "episode", "episodes")
    many = quantity(result["groups_found"], "group", "groups")
    made = quantity(result["patterns_created"], "new lesson", "new lessons")
    strengthened = f"{result['patterns_strengthened']:,} strengthened"
    yield Line(f"{episodes} in {many}: {made}, {strengthened}.", "bold")
    rows = [
        [one["group"], one["episodes"], one["ending"], one["by"], one["lesson"], one["title"]]
        for one in groups
    ]
    columns = ["group", "episodes>", "what came of it", "by", "id", "lesson"]
    yield Table(columns, rows, [_explain(one) for one in groups])
    for one in groups:
        for dropped in one["dropped"]:
            yield Line(f"  dropped from {one['group']}: {dropped}", "yellow")
    if result["summaries"]:
        written = [one for one in result["summaries"] if one["ending"] in ("created", "rewritten")]
        many = quantity(len(written), "subject", "subjects")
        yield Line(f"What is known about {many} was summarised.", "bold")
        told = [
            [one["summary"], one["ending"], one["by"], one["memories"], one["lines"], one["group"]]
            for one in result["summaries"]
        ]
        yield Table(
            ["id", "its summary", "by", "memories>", "lines>", "subject"],
            told,
            [one["why"] for one in result["summaries"]],
        )
    if not rows:
        yield Line("Nothing new to learn from: no group of three or more episodes has changed.")
    if result["playbooks_updated"]:
        playbooks = quantity(result["playbooks_updated"], "playbook", "playbooks")
        yield Line(f"  {playbooks} took later outcomes into account.", "dim")
    if result["errors"]:
        failed = quantity(result["errors"], "group", "groups")
        yield Line(f"  {failed} failed and will be tried again.", "red")
    yield from render_usage(result)
    yield from render_undo(result.get("operation_id"))


def _explain(one: Mapping[str, Any]) -> str:
    tokens = one["tokens_in"] + one["tokens_out"]
    cost = f"{tokens:,} tokens, {one['cost_usd']:.4f} USD" if one["tokens_in"] else ""
    why = one["why"] or EXPLANATIONS.get(one["ending"], one["ending"])
    return "; ".join(filter(None, [why, cost]))


TOOL = Tool(
    name="trigger_consolidation",
    command="consolidate",
    description="Make few lessons of many episodes, each claim counted again, and summaries of "
    "what is known.",
    arguments=ConsolidationArguments,
    run=run,
    profile="curator",
    render=render,
)
