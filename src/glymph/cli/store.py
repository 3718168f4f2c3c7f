"""Commands that look after stores: init, spaces, settings, export and import, backup and restore."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph.cli.options import Apply, Json, SpaceName, Url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from glymph.config import Settings

PANEL = "Keep"


def register(app: typer.Typer) -> None:
    for function in (init, export, import_, backup, restore):
        app.command(function.__name__.rstrip("_"), rich_help_panel=PANEL)(function)
    space = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="List, create, rename and delete spaces."
    )
    space.command("list")(space_list)
    space.command("create")(space_create)
    space.command("rename")(space_rename)
    space.command("delete")(space_delete)
    app.add_typer(space, name="space", rich_help_panel=PANEL)
    config = typer.Typer(
        no_args_is_help=True, rich_markup_mode=None, help="Show and change settings."
    )
    config.command("show")(config_show)
    # A number below zero is a value to be refused, not an option.
    config.command("set", context_settings={"ignore_unknown_options": True})(config_set)
    app.add_typer(config, name="config", rich_help_panel=PANEL)


def _masked(name: str, value: Any) -> Any:
    """The value as it may be shown: of a secret only that there is one."""
    from glymph.environment import SECRETS

    return "(set, not shown)" if name in SECRETS and value else value


@contextmanager
def _progress(what: str, quiet: bool) -> Iterator[Callable[[int], None]]:
    """A counter on standard error that moves while long work runs."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn

    console = Console(stderr=True)
    with Progress(
        SpinnerColumn(), TextColumn("{task.description}"), TextColumn("{task.completed:,} rows"),
        console=console, disable=quiet or not console.is_terminal, transient=True,
    ) as progress:  # fmt: skip
        task = progress.add_task(what, total=None)
        yield lambda done: progress.update(task, completed=done)


def _say(facts: dict[str, Any], sentence: str, *, as_json: bool) -> None:
    from glymph.cli import show

    if as_json:
        show.document(facts)
    else:
        show.line(sentence)


def init(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Create the store and the space, if they are not there yet."""
    from glymph import environment

    with environment.open_glymph(url, space, "user", create=True) as glymph:
        store = glymph.shown_url
    _say(
        {"store": store, "space": space},
        f"{store} is ready, with the space {space}.",
        as_json=as_json,
    )


def export(
    path: Annotated[Path, typer.Argument(help="The new file to write.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Write a whole space, journal included, as JSON Lines into a new file."""
    from glymph import environment

    with environment.open_glymph(url, space, "user") as glymph:
        rows = glymph.export(path)
        behind = [str(folder) for folder in glymph.conversation_folders()]
    facts: dict[str, Any] = {"path": str(path), "rows": rows, "left_behind": behind}
    said = f"{rows:,} rows of {space} written to {path}."
    key = path.with_name(f"{path.name}.key")
    if key.exists():
        facts["key"] = str(key)
        said += (
            f" The key of its tombstones is {key}: take it along, by another way than the export."
        )
    _say(facts, _with(said, behind), as_json=as_json)


def _with(said: str, behind: list[str]) -> str:
    """What was done, and which folders with conversations it is without."""
    from glymph.cli import show

    return "\n".join(filter(None, (said, show.left_behind(behind))))


def import_(
    path: Annotated[Path, typer.Argument(help="The export to read.", show_default=False)],
    url: Url = None,
    into: Annotated[
        str | None,
        typer.Option("--into", help="The space to make; left out: its name in the export."),
    ] = None,
    without: Annotated[
        bool,
        typer.Option(
            "--without-tombstones", help="Give up what the export keeps from being learnt again."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Load an export into a space that is new or still empty, without what was removed for good
    here.
    """
    from glymph import environment

    with environment.open_whole(url, create=True) as glymph, _progress("loading", as_json) as tick:
        done = glymph.import_(path, space=into, tombstones=not without, progress=tick)
    facts = {"path": str(path), "rows": done.rows, "kept_out": done.kept_out}
    said = f"{done.rows:,} rows loaded from {path}."
    _say(facts, said + _stayed_out(done.kept_out, "stayed"), as_json=as_json)


def _stayed_out(count: int, verb: str) -> str:
    """What to say of memories that tombstones kept out, if any."""
    from glymph.cli import show

    many = show.counted(count, "memory", "memories")
    return f" {many} {verb} out: removed for good on request." if count else ""


def backup(
    path: Annotated[Path, typer.Argument(help="The new file to write.", show_default=False)],
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Copy the whole store into a new file while others go on writing."""
    from glymph import environment

    with environment.open_whole(url) as glymph:
        target = glymph.backup(path)
        names = [space.name for space in glymph.spaces()]
        behind = [str(folder) for folder in glymph.conversation_folders(*names)]
    facts = {"path": str(target), "left_behind": behind}
    _say(facts, _with(f"Backed up to {target}.", behind), as_json=as_json)


def restore(
    source: Annotated[Path, typer.Argument(help="The backup.", show_default=False)],
    target: Annotated[
        Path, typer.Argument(help="The new file to make from it.", show_default=False)
    ],
    apply: Apply = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Check a backup and copy it to a new file, without what was removed for good from the store in
    use since.
    """
    from glymph import environment
    from glymph.cli import show
    from glymph.client import restore_backup

    settings, _ = environment.effective_settings()
    done = restore_backup(source, target, in_use=url, settings=settings, apply=apply)
    facts = {
        "source": str(source), "target": str(target), "spaces": list(done.spaces), "applied": apply,
        "kept_out": done.kept_out, "tombstones": done.tombstones, "unread": done.unread,
    }  # fmt: skip
    many = show.counted(len(done.spaces), "space", "spaces")
    said = f"{'Restored' if apply else 'Sound. Would restore'} {many} ({', '.join(done.spaces)}) to {target}."
    said += _stayed_out(done.kept_out, "stayed" if apply else "would stay")
    if done.unread:
        said += f" What was removed for good since could not be looked up: {done.unread}"
    _say(facts, said if apply else f"{said} Add --apply to do it.", as_json=as_json)


def space_list(url: Url = None, as_json: Json = False) -> None:
    """List the spaces of a store."""
    from glymph import environment
    from glymph.cli import show
    from glymph.plain import plain

    with environment.open_whole(url) as glymph:
        spaces = plain(glymph.spaces())
    if as_json:
        show.document({"spaces": spaces})
    else:
        rows = [[show.when(s["created_at"]), s["identity_id"], s["name"]] for s in spaces]
        show.table(["created (UTC)", "identity", "space"], rows)


def space_create(
    name: Annotated[str, typer.Argument(show_default=False)], url: Url = None, as_json: Json = False
) -> None:
    """Create a space with its identity memory."""
    from glymph import environment

    environment.open_glymph(url, name, "user", create=True).close()
    _say({"space": name}, f"Space {name} is ready.", as_json=as_json)


def space_rename(
    old: Annotated[str, typer.Argument(show_default=False)],
    new: Annotated[str, typer.Argument(show_default=False)],
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Rename a space."""
    from glymph import environment

    with environment.open_whole(url) as glymph:
        glymph.rename_space(old, new)
    _say({"old": old, "new": new}, f"{old} is now {new}.", as_json=as_json)


def space_delete(
    name: Annotated[str, typer.Argument(show_default=False)],
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="The space's name, typed again.")
    ] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Remove a space for good, with everything in it. There is no undo."""
    from glymph import environment
    from glymph.errors import InvalidInput, SpaceNotFound

    with environment.open_whole(url) as glymph:
        if name not in [known.name for known in glymph.spaces()]:
            raise SpaceNotFound(name)
        if confirm is None:
            hint = f"Would remove {name} with all its memories and history, for good. Add --confirm {name} to do it."
            _say({"space": name, "removed": False}, hint, as_json=as_json)
            return
        if confirm != name:
            raise InvalidInput("confirm", f"{confirm!r} is not {name!r}. Nothing was removed.")
        with _progress("removing", as_json) as tick:
            rows = glymph.delete_space(name, progress=tick)
    _say(
        {"space": name, "removed": True, "rows": rows},
        f"Removed {name}: {rows:,} rows.",
        as_json=as_json,
    )


def config_show(
    effective: Annotated[
        bool, typer.Option("--effective", help="Every setting, with where it comes from.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the settings file, or every setting in force."""
    from dataclasses import fields

    from glymph import environment
    from glymph.cli import show

    settings, origin = environment.effective_settings()
    shown = [f for f in fields(settings) if effective or origin[f.name] != "default"]
    values = {f.name: _masked(f.name, getattr(settings, f.name)) for f in shown}
    if as_json:
        show.document(
            {name: {"value": value, "from": origin[name]} for name, value in values.items()}
        )
        return
    rows = [[f.name, values[f.name], origin[f.name], f.metadata["help"]] for f in shown]
    show.table(["setting", "value>", "from", "meaning"], rows)
    if not shown:
        show.line(f"Nothing differs from the defaults. File: {environment.config_path()}")


def _check_model(settings: Settings, name: str) -> None:
    """Raises InvalidInput if a setting about the language model is one that no model can be opened
    with.
    """
    if not name.startswith("model") or (name, settings.model) == ("model", "none"):
        return
    from glymph.client import check_model
    from glymph.errors import InvalidInput

    try:
        check_model(settings)
    except InvalidInput as error:
        if name in (
            "model",
            error.field,
        ):  # else it is another setting that is wrong, to be mended by itself
            raise


def config_set(
    name: Annotated[str, typer.Argument(show_default=False)],
    value: Annotated[str, typer.Argument(show_default=False)],
    as_json: Json = False,
) -> None:
    """Change a setting in the settings file."""
    from glymph import environment
    from glymph.config import Settings

    values = {**environment.read_config(), name: value}
    settings = Settings.parse(values)
    _check_model(settings, name)
    parsed = getattr(settings, name)
    path = environment.write_config({**values, name: parsed})
    facts = {"setting": name, "value": _masked(name, parsed), "file": str(path)}
    said = f"{name} = {facts['value']} in {path}."
    if name in environment.SECRETS and parsed:
        facts["warning"] = (
            f"The key stands in that file as plain text. GLYMPH_{name.upper()} in the environment keeps it out."
        )
        said = f"{said} {facts['warning']}"
    _say(facts, said, as_json=as_json)
