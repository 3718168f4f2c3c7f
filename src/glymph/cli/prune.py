"""`glymph prune`: archives or trashes what a plan shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Actor, Apply, Json, SpaceName, Url
from glymph.cli.plan import PlanId
from glymph.errors import NotOverTheWire
from glymph.plain import plain
from glymph.prune.allowance import count_cap
from glymph.tools.ids import resolve_id
from glymph.tools.render import render_prune_preview

if TYPE_CHECKING:
    from glymph.client import Glymph


def register(app: typer.Typer) -> None:
    app.command("prune", rich_help_panel=KEEP)(prune)


def prune(
    plan: PlanId,
    groups: Annotated[
        list[int] | None,
        typer.Option(
            "--groups",
            metavar="<int>",
            help="Only this group; may be repeated.",
            show_default=False,
        ),
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option(
            "--ids", metavar="<str>", help="Only this memory; may be repeated.", show_default=False
        ),
    ] = None,
    action: Annotated[
        Literal["archive", "delete"],
        typer.Option("--action", help="Hide until it is restored, or trash for trash_days (30)."),
    ] = "archive",
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Also what only exists through them.")
    ] = False,
    confirm_large: Annotated[
        bool,
        typer.Option("--confirm-large", help="Yes, really so many at once."),
    ] = False,
    reason: Annotated[str | None, typer.Option("--reason", help="Why.", show_default=False)] = None,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Archive or trash exactly what a plan shows; what changed since is left alone and named."""
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        chosen = [resolve_id(glymph, "memory", one) for one in ids or ()]
        done = glymph.prune(
            resolve_id(glymph, "plan", plan), groups=groups or None, ids=chosen or None,
            action=action, cascade=cascade, confirm_large=confirm_large, reason=reason,
            dry_run=not apply,
        )  # fmt: skip
        large = not apply and _is_large(glymph, len(done.succeeded) + len(done.cascaded))
    if apply:
        output.answer_receipt(plain(done), as_json=as_json)
        return
    facts = {"dry_run": True, "would": action, "needs_confirm_large": large, **plain(done)}
    output.answer(facts, render_prune_preview(facts), as_json=as_json)
    output.exit_if_left_alone(facts)


def _is_large(glymph: Glymph, size: int) -> bool:
    """Tells whether so many go only with --confirm-large; a server says so when it is asked to."""
    try:
        ctx = glymph.context
    except NotOverTheWire:
        return False
    if ctx.is_agent and ctx.settings.agents_may_confirm != "on":
        return False  # its word would not count
    with ctx.reading() as reader:
        return size > count_cap(ctx, reader)
