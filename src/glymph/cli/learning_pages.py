"""How consolidation and playbooks look on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.cli import show

PLAIN = {"no pattern": "nothing recurs that is more than chance", "waiting": "it was not looked at"}


def consolidated(value: Mapping[str, Any]) -> None:
    """What came of each group of episodes and why, what was dropped, and what it cost."""
    if not value["ran"]:
        show.line(f"Nothing done: {value['why']}.")
        return
    episodes = show.counted(value["episodes_reviewed"], "episode", "episodes")
    groups = show.counted(value["groups_found"], "group", "groups")
    made = show.counted(value["patterns_created"], "new lesson", "new lessons")
    show.line(
        f"{episodes} in {groups}: {made}, {value['patterns_strengthened']:,} strengthened.", "bold"
    )
    rows = [
        [one["group"], one["episodes"], one["ending"], one["by"], one["lesson"], one["title"]]
        for one in value["groups"]
    ]
    show.table(
        ["group", "episodes>", "what came of it", "by", "id", "lesson"],
        rows,
        [_why(one) for one in value["groups"]],
    )
    for one in value["groups"]:
        for dropped in one["dropped"]:
            show.line(f"  dropped from {one['group']}: {dropped}", "yellow")
    if not rows:
        show.line("Nothing new to learn from: no group of three or more episodes has changed.")
    if value["playbooks_updated"]:
        many = show.counted(value["playbooks_updated"], "playbook", "playbooks")
        show.line(f"  {many} took later outcomes into account.", "dim")
    if value["errors"]:
        show.line(
            f"  {show.counted(value['errors'], 'group', 'groups')} failed and will be tried again.",
            "red",
        )
    if value["calls"]:
        used = f"{value['tokens_in']:,} tokens in, {value['tokens_out']:,} out, {value['cost_usd']:.4f} USD"
        show.line(f"{show.counted(value['calls'], 'call', 'calls')}: {used}.", "dim")
    if value.get("operation_id"):
        show.line(f"  take it back with: glymph undo {value['operation_id']}", "dim")


def _why(one: Mapping[str, Any]) -> str:
    cost = (
        f"{one['tokens_in'] + one['tokens_out']:,} tokens, {one['cost_usd']:.4f} USD"
        if one["tokens_in"]
        else ""
    )
    return "; ".join(filter(None, [one["why"] or PLAIN.get(one["ending"], one["ending"]), cost]))


def playbooks(value: Mapping[str, Any]) -> None:
    """The playbooks that fit a situation, the best first."""
    rows = [
        [f"{one['score']:.2f}", f"{100 * one['success_rate']:.0f} % of {one['outcomes']}", f"{one['fit']:.2f}",
         one["direction"], one["id"], one["title"]]
        for one in value["playbooks"]
    ]  # fmt: skip
    notes = [one["text"] for one in value["playbooks"]]
    show.table(["score>", "went well", "fit>", "do", "id", "playbook"], rows, notes)
    if not rows:
        show.line("No playbook fits. Tell more of the situation, figures with --attributes.")
