"""`glymph store space`: lists, creates, renames and deletes spaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Apply, Json, Url
from glymph.cli.progress import show_progress
from glymph.errors import InvalidInput, SpaceNotFound
from glymph.plain import plain
from glymph.tools.blocks import Table, format_time, quantity
from glymph.tools.render import NOT_CHANGED

if TYPE_CHECKING:
    from glymph.tools.blocks import Table


def register(app: typer.Typer) -> None:
    group = make_group("List, create, rename and delete spaces.")
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
    rows = [[one["name"], format_time(one["created_at"]), one["identity_id"]] for one in spaces]
    return Table(["space", "created (UTC)", "identity"], rows)


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
    apply: Apply = False,
    confirm: Annotated[str | None, typer.Option("--confirm", hidden=True)] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Remove a space for good, with everything in it. There is no undo."""
    if confirm not in (None, name):  # how it was said before `--apply`
        raise InvalidInput("confirm", f"{confirm!r} is not {name!r}. Nothing was removed.")
    with environment.open_whole(url) as glymph:
        known = [one.name for one in glymph.spaces()]
        if name not in known:
            raise SpaceNotFound(name, known)
        if apply or confirm:
            with show_progress("removing", "rows", quiet=as_json) as tick:
                rows = glymph.delete_space(name, progress=tick)
            facts = {"space": name, "removed": True, "rows": rows}
            output.answer(facts, f"Removed {name}: {rows:,} rows.", as_json=as_json)
            return
    with environment.open_glymph(url, name, "user", create=False) as glymph:
        held = glymph.health()
    count = held.live + held.dormant + held.archived + held.trashed
    many = quantity(count, "memory", "memories")
    would = f"Would remove {name} for good: {many}, all history and conversations."
    facts = {"dry_run": True, "space": name, "removed": False, "memories": count}
    output.answer(facts, f"{would} There is no undo. {NOT_CHANGED}", as_json=as_json)
