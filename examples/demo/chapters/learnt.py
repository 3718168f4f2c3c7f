"""Lessons: what hundreds of trades have in common.

Counted, linked to its evidence, and not learnt twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph

GROUPING = ("attribute:setup",)
SITUATION = "BTC breaks out of its range"
SHOWN_EVIDENCE = 3


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    done = glymph.consolidate(grouping=GROUPING)
    again = glymph.consolidate(grouping=GROUPING)
    learnt = [_describe(glymph, str(one.lesson)) for one in done.groups if one.lesson is not None]
    matches = glymph.match_playbooks(SITUATION, attributes={"setup": "breakout", "volume": "high"})
    facts = {
        "episodes": done.episodes_reviewed,
        "groups": [
            {"group": one.group, "episodes": one.episodes, "ending": one.ending}
            for one in done.groups
        ],
        "learnt": learnt,
        "second_run": {"groups": again.groups_analyzed, "calls": again.calls},
        "situation": SITUATION,
        "playbooks": [
            {"title": one.title, "rate": one.success_rate, "score": one.score} for one in matches
        ],
    }
    if done.operation_id is not None:
        glymph.undo(done.operation_id, reason="the demo clears up")
    return facts


def _describe(glymph: Glymph, lesson: str) -> dict[str, Any]:
    memory = glymph.get(lesson)
    evidence = [edge.target for edge in glymph.edges(lesson) if edge.type == "generalizes"]
    return {
        "kind": memory.kind, "title": memory.title, "text": memory.text, "evidence": len(evidence),
        "shown": [glymph.get(one).title for one in evidence[:SHOWN_EVIDENCE]],
    }  # fmt: skip


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "Lessons",
        f"{facts['episodes']} episodes, grouped by the setup that was traded. Nobody was asked: "
        "conditions that "
        "part the trades that won from the others are counted, and believed if chance would "
        "hardly show them.",
    )
    page.table(
        console,
        ["group", "episodes>", "what came of it~"],
        [[one["group"], str(one["episodes"]), one["ending"]] for one in facts["groups"]],
    )
    console.print()
    for one in facts["learnt"]:
        page.say(console, f"A {one['kind']}: “{one['text']}”")
        page.say(
            console,
            f"It is linked to its {one['evidence']} trades, for example “{one['shown'][0]}”",
        )
    for one in facts["playbooks"][:1]:
        page.say(
            console,
            f"Asked what to do when “{facts['situation']}” on high volume, it is found: it went "
            "well in "
            f"{one['rate']:.0%} of the cases.",
        )
    page.say(
        console,
        f"A second run over the same episodes looks at {facts['second_run']['groups']} groups and "
        "asks nobody. "
        "Undo has taken all of it back.",
    )
