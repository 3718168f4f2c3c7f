"""`glymph memory trash`: looks into the trash, and empties it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Actor, Apply, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, Table, quantity
from glymph.tools.ids import resolve_id
from glymph.tools.render import NOT_CHANGED

if TYPE_CHECKING:
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    group = make_group("Look into the trash, and empty it.")
    group.command("list")(list_trash)
    group.command("restore")(restore)
    group.command("empty")(empty)
    app.add_typer(group, name="trash", rich_help_panel=KEEP)


def list_trash(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """List what is in the trash, what expires first on top."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        trash = plain(glymph.trash())
    output.answer({"trash": trash}, _render(trash), as_json=as_json)


def _render(trash: Sequence[dict[str, Any]]) -> Blocks:
    rows = [
        [one["id"], one["kind"], one["by"], one["recoverable_until"][:10], one["title"]]
        for one in trash
    ]
    yield Table(["id", "kind", "put there by", "kept until", "title"], rows)
    if not rows:
        yield Line("The trash is empty.")


def restore(
    ids: Annotated[
        list[str], typer.Argument(help="Ids that `trash list` shows.", show_default=False)
    ],
    url: Url = None,
    space: SpaceName = "default",
    actor: Actor = "user",
    as_json: Json = False,
) -> None:
    """Bring memories back from the trash."""
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        receipt = plain(glymph.restore([resolve_id(glymph, "memory", one) for one in ids]))
    output.answer_receipt(receipt, as_json=as_json)


def empty(
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
    with environment.open_glymph(url, space, actor, create=False) as glymph:
        if apply:
            output.answer_receipt(plain(glymph.trash.empty(all=every)), as_json=as_json)
            return
        due = plain([one for one in glymph.trash() if every or one.expired])
    facts = {"dry_run": True, "would": "purge", "memories": due}
    output.answer(facts, _render_preview(due), as_json=as_json)


def _render_preview(due: Sequence[dict[str, Any]]) -> Blocks:
    many = quantity(len(due), "memory", "memories")
    yield Line(f"Would remove {many} for good. {NOT_CHANGED}", "bold")
    yield Table(["id", "kind", "title"], [[one["id"], one["kind"], one["title"]] for one in due])
