"""`glymph sleep ai-prune`: lets the language model nominate what may be archived."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import SLEEP, Actor, Apply, IfNeeded, Json, SpaceName, Url
from glymph.cli.progress import show_progress
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.render import NOT_CHANGED, render_undo, render_usage

if TYPE_CHECKING:
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    app.command("ai-prune", rich_help_panel=SLEEP)(ai_prune)


def ai_prune(
    if_needed: IfNeeded = False,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Let the language model nominate what may go; code decides, and only ever archives."""
    acting = apply or if_needed
    with (
        environment.open_glymph(url, space, actor, create=False) as glymph,
        show_progress("asking", "batches", quiet=as_json) as tick,
    ):
        done = glymph.ai_prune(if_needed=if_needed, dry_run=not acting, progress=tick)
    facts = {"dry_run": not acting, **plain(done)}
    output.answer(facts, _render(facts), as_json=as_json)
    if done.ran and not done.complete and acting:
        raise typer.Exit(1)


def _render(facts: dict[str, Any]) -> Blocks:
    if not facts["ran"] and not facts["batches"]:
        yield Line(f"Nothing done: {facts['why']}.")
        return
    if facts["dry_run"]:
        yield from _render_preview(facts)
        return
    many = quantity(len(facts["archived"]), "memory", "memories")
    batches = quantity(len(facts["batches"]) - facts["unasked"], "batch", "batches")
    shown = f"{facts['shown']:,} shown in {batches}"
    yield Line(f"Archived {many} of {shown} ({facts['why']}).", "bold")
    yield Table(["id", "why"], [[one, facts["reasons"].get(one)] for one in facts["archived"]])
    for refused in facts["refused"]:
        yield Line(f"  kept: {refused['id']}: {refused['reason']}", "yellow")
    for failed in facts["failed_batches"]:
        yield Line(f"  batch {failed['batch']} failed: {failed['problem']}", "red")
    if facts["stopped"]:
        yield Line(f"  stopped: {facts['stopped']}", "yellow")
    yield from render_usage(facts)
    yield from render_undo(facts["operation_id"])


def _render_preview(facts: dict[str, Any]) -> Blocks:
    batches = quantity(len(facts["batches"]), "batch", "batches")
    cost = f"for {facts['cost_usd']:.4f} USD at most"
    yield Line(f"Would show {facts['shown']:,} memories in {batches}, {cost}.")
    yield Line(
        "The settings spend_run_usd and spend_daily_usd may end it before; "
        "the next run goes on there."
    )
    yield Line(NOT_CHANGED, "dim")
