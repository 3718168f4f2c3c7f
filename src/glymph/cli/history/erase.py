"""`glymph memory history erase`: cuts a text out of every conversation of a space."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.history.find import same_place
from glymph.cli.options import Apply, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import quantity
from glymph.tools.render import NOT_CHANGED, describe_rewritten


def erase(
    text: Annotated[
        str, typer.Argument(help="What must not stand there any more.", show_default=False)
    ],
    apply: Apply = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Cut a text out of every conversation of a space, for good. `forget --mode purge` does so by
    itself.

    Backups and exports from before still have it.
    """
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        done = glymph.conversations.erase(text, apply=apply)
        memories = glymph.conversations.memories_saying(text)
    facts = {"dry_run": not apply, **plain(done), "memories": memories}
    page = [_summarize(plain(done), apply), *done.left, *_advise(text, len(memories), space)]
    output.answer(facts, page, as_json=as_json)
    if done.left:
        raise typer.Exit(1)


def _summarize(erasure: Mapping[str, Any], apply: bool) -> str:
    what = describe_rewritten(erasure)
    if not what:
        return "No conversation says it."
    if apply:
        return f"Wrote {what} anew, without it. Backups and exports from before still have it."
    return f"Would write {what} anew, without it. {NOT_CHANGED}"


def _advise(text: str, memories: int, space: str) -> list[str]:
    """Names the command for memories that say it, too."""
    if not memories:
        return []
    many = quantity(memories, "memory says", "memories say")
    command = f"glymph forget {quote(text)} --mode purge{same_place(space)}"
    return [f"{many} it. To see what would go there: {command}"]
