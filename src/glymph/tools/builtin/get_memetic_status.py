"""get_memetic_status: how the memory is doing as a whole, and what to put in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from glymph.plain import plain
from glymph.tools import tree
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.contract import Arguments, Tool
from glymph.tools.index import command_places
from glymph.tools.render import Blocks

if TYPE_CHECKING:
    from glymph.client import Glymph


class MemeticStatusArguments(Arguments):
    pass


def run(glymph: Glymph, args: MemeticStatusArguments) -> Mapping[str, Any]:
    result: dict[str, Any] = plain(glymph.memetic_status())
    return result


def render(result: Mapping[str, Any]) -> Blocks:
    yield Line(f"Next: {result['suggested_action']}.", "bold")
    many = quantity(result["memories"], "memory", "memories")
    groups = quantity(result["communities"], "community", "communities")
    coherence = f"coherence {result['coherence']:.2f} (by {result['coherence_by']})"
    yield Line(f"{many} in {groups}: entropy {result['entropy']:.2f}, {coherence}.")
    sessions = result["policy"]["ai_prune_sessions"]
    looks = "off" if sessions is None else f"every {sessions} sessions"
    recalls = quantity(result["recalls"], "recall", "recalls")
    yield Line(f"{result['stage'].capitalize()}, after {recalls}: AI prune {looks}.", "dim")
    places = command_places()
    rows = [
        [
            "?" if task["count"] is None else task["count"],
            task["task"],
            tree.write_path(places[task["tool"]]),
        ]
        for task in result["curation_tasks"]
    ]
    yield Table(["how many>", "to put in order", "by"], rows)


TOOL = Tool(
    name="get_memetic_status",
    command="memetics",
    description="Show entropy, coherence and stage of the memory, what to do next, and the call "
    "for each task.",
    arguments=MemeticStatusArguments,
    run=run,
    profile="curator",
    render=render,
    read_only=True,
    idempotent=True,
)
