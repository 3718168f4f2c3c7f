"""`glymph prune`, `glymph plan` and `glymph trash`: act on a plan, look at plans, look after the
trash.
"""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from glymph.cli.options import Actor, Apply, Json, SpaceName, Url

PANEL = "Keep"
PlanId = Annotated[
    str, typer.Argument(help="The plan's id, as `glymph analyze` shows it.", show_default=False)
]


def register(app: typer.Typer) -> None:
    app.command("prune", rich_help_panel=PANEL)(prune)
    plan = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Look at plans that can be pruned from."
    )
    plan.command("list")(plan_list)
    plan.command("show")(plan_show)
    app.add_typer(plan, name="plan", rich_help_panel=PANEL)
    trash = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Look into the trash, and empty it."
    )
    trash.command("list")(trash_list)
    trash.command("restore")(trash_restore)
    trash.command("empty")(trash_empty)
    app.add_typer(trash, name="trash", rich_help_panel=PANEL)


def prune(
    plan: PlanId,
    groups: Annotated[
        list[int] | None,
        typer.Option("--groups", help="Only these groups; repeat it.", show_default=False),
    ] = None,
    ids: Annotated[
        list[str] | None,
        typer.Option("--ids", help="Only these memories; repeat it.", show_default=False),
    ] = None,
    action: Annotated[
        Literal["archive", "delete"],
        typer.Option("--action", help="Hide for ever, or trash for 30 days."),
    ] = "archive",
    cascade: Annotated[
        bool, typer.Option("--cascade", help="Also what only exists through them.")
    ] = False,
    confirm_large: Annotated[
        bool, typer.Option("--confirm-large", help="Yes, really so many at once.")
    ] = False,
    reason: Annotated[str | None, typer.Option("--reason", help="Why.", show_default=False)] = None,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Archive or trash exactly what a plan shows; what changed since is left alone and named."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = glymph.prune(
            plan, groups=groups or None, ids=ids or None, action=action, cascade=cascade,
            confirm_large=confirm_large or not apply, reason=reason, dry_run=not apply,
        )  # fmt: skip
    told = plain(done) if apply else {"would": action, **plain(done)}
    show.result(told, as_json=as_json, dry_run=not apply)


def plan_list(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List the plans that have not expired."""
    from glymph import environment
    from glymph.cli import pages, show
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = plain(glymph.plans())
    if as_json:
        show.document({"plans": found})
    else:
        pages.plans(found)


def plan_show(
    plan: PlanId, url: Url = None, space: SpaceName = "default", as_json: Json = False
) -> None:
    """Show a plan: its groups, their members, why, and what would be lost."""
    from glymph import environment
    from glymph.cli import show
    from glymph.tools import shapes

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = shapes.plan(glymph.plan(plan))
    show.result(found, as_json=as_json)


def trash_list(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List what is in the trash, what expires first on top."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = plain(glymph.trash())
    if as_json:
        show.document({"trash": found})
        return
    rows = [
        [t["id"], t["kind"], t["by"], show.when(t["recoverable_until"]), t["title"]] for t in found
    ]
    show.table(["id", "kind", "put there by", "recoverable until (UTC)", "title"], rows)
    if not rows:
        show.line("The trash is empty.")


def trash_restore(
    ids: Annotated[
        list[str], typer.Argument(help="Ids that `trash list` shows.", show_default=False)
    ],
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Bring memories back from the trash."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, actor, create=False) as glymph:
        done = plain(glymph.restore(ids))
    show.result(done, as_json=as_json)


def trash_empty(
    every: Annotated[
        bool, typer.Option("--all", help="Everything, not only what has expired.")
    ] = False,
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Remove for good what has been in the trash for its time. There is no undo."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_glymph(url, space, actor, create=False) as glymph:
        if apply:
            show.result(plain(glymph.empty_trash(all=every)), as_json=as_json)
            return
        due = [one for one in glymph.trash() if every or one.expired]
    if as_json:
        show.document({"dry_run": True, "would": "purge", "memories": plain(due)})
        return
    many = show.counted(len(due), "memory", "memories")
    show.line(f"Would remove {many} for good. Nothing was changed: add --apply to do it.", "bold")
    show.table(["id", "kind", "title"], [[one.id, one.kind, one.title] for one in due])
