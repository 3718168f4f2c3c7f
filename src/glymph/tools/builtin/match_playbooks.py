"""match_playbooks: what worked before in a situation like this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from glymph.plain import plain
from glymph.tools.blocks import Line, Table
from glymph.tools.contract import WORDS, Arguments, Tool
from glymph.tools.render import Blocks

if TYPE_CHECKING:
    from glymph.client import Glymph


class MatchArguments(Arguments):
    situation: str = Field(
        min_length=1,
        max_length=10_000,
        description="The situation at hand.",
        json_schema_extra=WORDS,
    )
    attributes: dict[str, Any] = Field(
        default_factory=dict, description="Figures of the situation, by name."
    )
    limit: int = Field(5, ge=1, le=100, description="Most playbooks to give back, the best first.")


def run(glymph: Glymph, args: MatchArguments) -> Mapping[str, Any]:
    found = glymph.match_playbooks(args.situation, attributes=args.attributes, limit=args.limit)
    return {"playbooks": plain(found)}


def render(result: Mapping[str, Any]) -> Blocks:
    rows, notes = [], []
    for one in result["playbooks"]:
        went_well = f"{100 * one['success_rate']:.0f} % of {one['outcomes']}"
        score, fit = f"{one['score']:.2f}", f"{one['fit']:.2f}"
        rows.append([score, went_well, fit, one["direction"], one["id"], one["title"]])
        notes.append(one["text"])
    yield Table(["score>", "went well", "fit>", "do", "id", "playbook"], rows, notes)
    if not rows:
        yield Line("No playbook fits. Tell more of the situation, figures with --attributes.")


TOOL = Tool(
    name="match_playbooks",
    command="match-playbooks",
    description="Find playbooks that fit a situation, ranked by how well they worked, how they "
    "fit and how often.",
    arguments=MatchArguments,
    run=run,
    profile="curator",
    render=render,
    read_only=True,
    idempotent=True,
)
