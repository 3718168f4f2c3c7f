"""`glymph store export`: a whole space as JSON Lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, SpaceName, Url


def register(app: typer.Typer) -> None:
    app.command("export", rich_help_panel=KEEP)(export)


def export(
    path: Annotated[Path, typer.Argument(help="The new file to write.", show_default=False)],
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Write a whole space, journal included, as JSON Lines into a new file."""
    with environment.open_glymph(url, space, "user") as glymph:
        rows = glymph.export(path)
        behind = [str(folder) for folder in glymph.conversations.folders()]
    facts: dict[str, Any] = {"path": str(path), "rows": rows, "left_behind": behind}
    text = f"{rows:,} rows of {space} written to {path}."
    key = path.with_name(f"{path.name}.key")
    if key.exists():
        facts["key"] = str(key)
        text += f" The key of its tombstones is {key}: take it along, but not by the same way."
    output.answer(facts, [text, *describe_left_behind(behind)], as_json=as_json)


def describe_left_behind(folders: Sequence[str]) -> list[str]:
    """Names the folders of conversations that an export, a backup or a migration is without."""
    if not folders:
        return []
    names = ", ".join(folders)
    return [f"Conversations in files stay behind. Copy their folders, too: {names}"]
