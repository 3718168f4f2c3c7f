"""How upkeep between sessions looks on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from glymph.cli import show

AGAIN = "Nothing was changed: add --apply to do it."


def lifecycle(value: Mapping[str, Any]) -> None:
    show.line(value["told"], "bold")
    for verb in ("archived", "trashed"):
        rows = [[verb, one["kind"], one["id"], one["title"]] for one in value[verb]]
        show.table(["", "kind", "id", "title"], rows, [one["reason"] for one in value[verb]])
    if value["kept_central"]:
        show.line(f"{value['kept_central']:,} are kept because many others lead to them.", "dim")
    _take_back(value["operation_ids"])
    if value["dry_run"] and value["ran"]:
        show.line(AGAIN, "dim")


def ai_prune(value: Mapping[str, Any]) -> None:
    if not value["ran"] and not value["batches"]:
        show.line(f"Nothing done: {value['why']}.")
        return
    if value["dry_run"]:
        batches = show.counted(len(value["batches"]), "batch", "batches")
        show.line(
            f"Would show {value['shown']:,} memories in {batches}, for {value['cost_usd']:.4f} USD at most."
        )
        show.line(
            "The settings spend_run_usd and spend_daily_usd may end it before; the next run goes on there."
        )
        show.line(AGAIN, "dim")
        return
    many = show.counted(len(value["archived"]), "memory", "memories")
    batches = show.counted(len(value["batches"]) - value["unasked"], "batch", "batches")
    show.line(f"Archived {many} of {value['shown']:,} shown in {batches} ({value['why']}).", "bold")
    show.table(
        ["id", "why"],
        [[memory_id, value["reasons"].get(memory_id)] for memory_id in value["archived"]],
    )
    for refused in value["refused"]:
        show.line(f"  kept: {refused['id']}: {refused['reason']}", "yellow")
    for failed in value["failed_batches"]:
        show.line(f"  batch {failed['batch']} failed: {failed['problem']}", "red")
    if value["stopped"]:
        show.line(f"  stopped: {value['stopped']}", "yellow")
    used = f"{value['tokens_in']:,} tokens in, {value['tokens_out']:,} out, {value['cost_usd']:.4f} USD"
    show.line(f"{show.counted(value['calls'], 'call', 'calls')}: {used}.", "dim")
    _take_back([value["operation_id"]] if value["operation_id"] else [])


def extraction(value: Mapping[str, Any]) -> None:
    if value["dry_run"]:
        kept = f"Would keep {show.counted(len(value['found']), 'statement', 'statements')}"
    else:
        kept = f"Kept {show.counted(value['created'], 'new statement', 'new statements')}"
    known = (
        show.counted(value["known"], "was", "were") + " known already." if value["known"] else ""
    )
    turns = show.counted(value["turns"], "turn", "turns")
    by = "the model" if value["by"] == "model" else "rules"
    show.line(f"{kept} of {turns}, found by {by}. {known}".rstrip(), "bold")
    state = ["known" if one["duplicate_of"] else "new" for one in value["added"]]
    state = state or [""] * len(value["found"])  # of a dry run
    rows = [[now, one["kind"], one["text"]] for now, one in zip(state, value["found"], strict=True)]
    show.table(["", "kind", "statement"], rows)
    for refused in value["refused"]:
        show.line(f"  left: {refused['text'][:80]}: {refused['reason']}", "yellow")
    notes = [
        (value["masked"], "secret was masked", "secrets were masked"),
        (value["unreadable"], "line could not be read", "lines could not be read"),
    ]
    for count, one, many in notes:
        if count:
            show.line(f"  {show.counted(count, one, many)}.", "dim")
    if value["problem"]:
        show.line(f"  stopped: {value['problem']}", "red")
    if value["more"]:
        show.line("  More waits: run it again, without --again.", "dim")


def fading(value: Mapping[str, Any]) -> None:
    rows = [
        [
            one["kind"],
            f"{one['retrievability']:.2f}",
            f"{one['days_until_dormant']:.0f}",
            one["id"],
            one["title"],
        ]
        for one in value["fading"]
    ]
    show.table(["kind", "R>", "days left>", "id", "title"], rows)
    if rows:
        show.line(
            "Keep one: glymph reinforce ID. Let it go: glymph batch-prune ID --action archive",
            "dim",
        )
    else:
        show.line("Nothing is fading.")


def costs(value: Mapping[str, Any]) -> None:
    """What was spent, by job, model and day."""
    for title, spent in (
        ("job", value["by_job"]),
        ("model", value["by_model"]),
        ("day", value["by_day"]),
    ):
        rows = [
            [one["name"], one["calls"], one["failed"], f"{one['tokens_in']:,}", f"{one['tokens_out']:,}",
             f"{one['cost_usd']:.4f}" + (" about" if one["assumed"] else "")]
            for one in spent
        ]  # fmt: skip
        show.table([title, "calls>", "failed>", "tokens in>", "out>", "USD>"], rows)
    total = value["total"]
    if not total["calls"]:
        show.line("No language model was asked.")
    if total["assumed"]:
        show.line(
            "A price is not known and taken for a dear one: set model_prices to IN/OUT per million.",
            "yellow",
        )
    if total["unsettled"]:
        many = show.counted(total["unsettled"], "call was", "calls were")
        show.line(f"{many} cut off or still run, and count at their dearest.", "yellow")
    left = f"{value['left_usd']:.4f} USD and {value['left_tokens']:,} tokens may still be spent in these 24 hours."
    show.line(f"{value['today_usd']:.4f} USD spent in 24 hours; {left}", "dim")


def _take_back(operations: Sequence[str]) -> None:
    for operation in operations:
        show.line(f"  take it back with: glymph undo {operation}", "dim")
