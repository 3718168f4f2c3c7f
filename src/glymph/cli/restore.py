"""`glymph store restore`: a backup checked and copied to a new file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.import_ import describe_kept_out
from glymph.cli.options import KEEP, Apply, Json, Url
from glymph.stores import restore_backup
from glymph.tools.blocks import quantity


def register(app: typer.Typer) -> None:
    app.command("restore", rich_help_panel=KEEP)(restore)


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
    settings, _ = environment.effective_settings()
    done = restore_backup(source, target, in_use=url, settings=settings, apply=apply)
    facts = {
        "source": str(source), "target": str(target), "spaces": list(done.spaces), "applied": apply,
        "kept_out": done.kept_out, "tombstones": done.tombstones, "unread": done.unread,
    }  # fmt: skip
    many = quantity(len(done.spaces), "space", "spaces")
    verb = "Restored" if apply else "Sound. Would restore"
    text = f"{verb} {many} ({', '.join(done.spaces)}) to {target}."
    text += describe_kept_out(done.kept_out, "stayed" if apply else "would stay")
    if done.unread:
        text += f" What was removed for good since could not be looked up: {done.unread}"
    output.answer(facts, text if apply else f"{text} Add --apply to do it.", as_json=as_json)
