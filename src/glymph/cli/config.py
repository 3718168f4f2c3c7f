"""`glymph config`: shows and changes settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Json
from glymph.config import Settings
from glymph.embed import check_embedder
from glymph.environment import SECRETS
from glymph.errors import InvalidInput
from glymph.llm.choose import check_model
from glymph.prune.retention import parse_retention
from glymph.reader import check_reader
from glymph.text.secrets import mask_url
from glymph.tools.blocks import Table

if TYPE_CHECKING:
    from glymph.config import Settings

# Settings that a command would refuse only when it opens the store.
CHECKS: dict[str, Callable[[str], object]] = {
    "embedder": check_embedder,
    "reader": check_reader,
    "retention": parse_retention,
}


def register(app: typer.Typer) -> None:
    group = make_group("Show and change settings.")
    group.command("show")(show)
    # A number below zero is a value to be refused, not an option.
    group.command("set", context_settings={"ignore_unknown_options": True})(set_)
    app.add_typer(group, name="config", rich_help_panel=KEEP)


def show(
    effective: Annotated[
        bool, typer.Option("--effective", help="Every setting, with where it comes from.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the settings file, or every setting in force."""
    settings, origin = environment.effective_settings()
    shown = [f for f in fields(settings) if effective or origin[f.name] != "default"]
    values = {f.name: _mask(f.name, getattr(settings, f.name)) for f in shown}
    facts = {name: {"value": value, "from": origin[name]} for name, value in values.items()}
    rows = [[f.name, values[f.name], origin[f.name], f.metadata["help"]] for f in shown]
    page: list[Any] = [Table(["setting", "value>", "from", "meaning"], rows)]
    if not shown:
        page.append(f"Nothing differs from the defaults. File: {environment.config_path()}")
    if not effective:
        page.append("Every setting: glymph config show --effective")
    output.answer(facts, page, as_json=as_json)


def set_(
    name: Annotated[str, typer.Argument(show_default=False)],
    value: Annotated[str, typer.Argument(show_default=False)],
    as_json: Json = False,
) -> None:
    """Change a setting in the settings file."""
    values = {**environment.read_config(), name: value}
    try:
        settings = Settings.parse(values)
    except InvalidInput as error:
        others = {one: "file" for one in values if one != name}
        raise environment.name_source(error, others) from error.__cause__
    if name in CHECKS:
        CHECKS[name](getattr(settings, name))
    _check_model(settings, name)
    parsed = getattr(settings, name)
    path = environment.write_config({**values, name: parsed})
    facts = {"setting": name, "value": _mask(name, parsed), "file": str(path)}
    text = f"{name} = {facts['value']} in {path}."
    if name in environment.SECRETS and parsed:
        facts["warning"] = (
            "The key stands in that file as plain text. "
            f"GLYMPH_{name.upper()} in the environment keeps it out."
        )
        text = f"{text} {facts['warning']}"
    output.answer(facts, text, as_json=as_json)


def _mask(name: str, value: Any) -> Any:
    """Returns the value as it may be shown: of a secret only that there is one."""
    if name in SECRETS and value:
        return "(set, not shown)"
    return mask_url(value) if isinstance(value, str) else value


def _check_model(settings: Settings, name: str) -> None:
    """Raises InvalidInput if no model can be opened with a changed setting about it."""
    if not name.startswith("model") or (name, settings.model) == ("model", "none"):
        return
    try:
        check_model(settings)
    except InvalidInput as error:
        # A fault in another setting must not keep this one from being corrected.
        if name in ("model", error.field):
            raise
