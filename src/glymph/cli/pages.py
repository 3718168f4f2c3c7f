"""How plans, candidates, prunes and conflicts look on a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from glymph.cli import show


def plan(value: Mapping[str, Any]) -> None:
    """The plan as it reads, and the way on."""
    show.line(value["text"])
    if value["groups"]:
        show.line(f"On the command line: glymph prune {value['plan_id']} --groups 1 --apply", "dim")


def plans(items: list[Mapping[str, Any]]) -> None:
    rows = [
        [p["id"], show.when(p["created_at"]), show.when(p["expires_at"]), len(p["groups"]),
         sum(len(group["nodes"]) for group in p["groups"])]
        for p in items
    ]  # fmt: skip
    show.table(["plan", "made (UTC)", "expires (UTC)", "groups>", "memories>"], rows)
    if not rows:
        show.line("No plans. `glymph analyze` makes one.")


def candidates(value: Mapping[str, Any]) -> None:
    rows = [
        [f"{c['priority']:.2f}", c["reason"], f"{c['age_days']:.0f}", f"{c['days_since_use']:.0f}",
         c["connections"], c["memory_id"], c["title"]]
        for c in value["candidates"]
    ]  # fmt: skip
    show.table(["priority>", "reason", "age>", "unused>", "links>", "id", "title"], rows)
    summary = value["summary"]
    reasons = ", ".join(
        f"{count:,} {reason}" for reason, count in summary["by_reason"].items() if count
    )
    told = f"{summary['total']:,} of {summary['examined']:,} memories may go"
    show.line(f"{told}: {reasons}." if reasons else f"{told}.", "dim")


def pruned(value: Mapping[str, Any], *, dry_run: bool) -> None:
    if value.get("message"):
        show.line(value["message"])
        return
    along = f", {value['cascade_pruned']:,} more along with them" if value["cascade_pruned"] else ""
    many = show.counted(value["pruned_count"], "memory", "memories")
    if dry_run:
        show.line(f"Would trash {many}{along}. Nothing was changed: add --apply to do it.", "bold")
    else:
        show.line(f"Trashed {many}{along}. {value['note']}")
    for error in value["errors"]:
        show.line(f"  left: {error['node_id']}: {error['error']}", "yellow")
    if value.get("operation_id") and value["pruned_count"]:
        show.line(f"  take it back with: glymph undo {value['operation_id']}", "dim")


def would(value: Mapping[str, Any]) -> None:
    """What a prune would do, by ids."""
    many = show.counted(len(value["succeeded"]), "memory", "memories")
    along = (
        f", and {len(value['cascaded']):,} that only exist through them"
        if value["cascaded"]
        else ""
    )
    show.line(
        f"Would {value['would']} {many}{along}. Nothing was changed: add --apply to do it.", "bold"
    )
    for memory_id in [*value["succeeded"], *value["cascaded"]]:
        show.line(f"  {memory_id}")
    show.refusals(value)


def conflicts(items: list[Mapping[str, Any]]) -> None:
    rows = [
        [c["id"], show.when(c["raised_at"]), show.when(c["expires_at"]), c["older_text"]]
        for c in items
    ]
    notes = [f"or now: {c['newer_text']} ({c['reason']})" for c in items]
    show.table(["conflict", "since (UTC)", "kept both from (UTC)", "said"], rows, notes)
    if rows:
        show.line("Settle one with: glymph conflicts resolve ID --resolution new_is_current", "dim")
    else:
        show.line("No conflicts wait for a decision.")
