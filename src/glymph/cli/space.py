"""`glymph store space`: lists, creates, renames and deletes spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, Url
from glymph.cli.progress import show_progress
from glymph.errors import InvalidInput, SpaceNotFound
from glymph.plain import plain
from glymph.tools.blocks import Table, format_time

if TYPE_CHECKING:
    from glymph.tools.blocks import Table


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="List, create, rename and delete spaces."
    )
    group.command("list")(list_spaces)
    group.command("create")(create)
    group.command("rename")(rename)
    group.command("delete")(delete)
    app.add_typer(group, name="space", rich_help_panel=KEEP)


def list_spaces(url: Url = None, as_json: Json = False) -> None:
    """List the spaces of a store."""
    with environment.open_whole(url) as glymph:
        spaces = plain(glymph.spaces())
    output.answer({"spaces": spaces}, [_table(spaces)], as_json=as_json)


def _table(spaces: Sequence[dict[str, Any]]) -> Table:
    rows = [[format_time(one["created_at"]), one["identity_id"], one["name"]] for one in spaces]
    return Table(["created (UTC)", "identity", "space"], rows)


def create(
    name: Annotated[str, typer.Argument(show_default=False)], url: Url = None, as_json: Json = False
) -> None:
    """Create a space with its identity memory."""
    environment.open_glymph(url, name, "user", create=True).close()
    output.answer({"space": name}, f"Space {name} is ready.", as_json=as_json)


def rename(
    old: Annotated[str, typer.Argument(show_default=False)],
    new: Annotated[str, typer.Argument(show_default=False)],
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Rename a space."""
    with environment.open_whole(url) as glymph:
        glymph.rename_space(old, new)
    output.answer({"old": old, "new": new}, f"{old} is now {new}.", as_json=as_json)


def delete(
    name: Annotated[str, typer.Argument(show_default=False)],
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="The space's name, typed again.")
    ] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Remove a space for good, with everything in it. There is no undo."""
    with environment.open_whole(url) as glymph:
        if name not in [known.name for known in glymph.spaces()]:
            raise SpaceNotFound(name)
        if confirm is None:
            would = f"Would remove {name} with all its memories and history, for good."
            text = f"{would} Add --confirm {name} to do it."
            output.answer({"space": name, "removed": False}, text, as_json=as_json)
            return
        if confirm != name:
            raise InvalidInput("confirm", f"{confirm!r} is not {name!r}. Nothing was removed.")
        with show_progress("removing", "rows", quiet=as_json) as tick:
            rows = glymph.delete_space(name, progress=tick)
    facts = {"space": name, "removed": True, "rows": rows}
    output.answer(facts, f"Removed {name}: {rows:,} rows.", as_json=as_json)
