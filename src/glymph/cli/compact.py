"""`glymph store compact`: writes the store anew, without the traces of what was removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Line, quantity

if TYPE_CHECKING:
    from glymph.tools.render import Blocks
    from glymph.upkeep.fold import Compacted


def register(app: typer.Typer) -> None:
    app.command("compact", rich_help_panel=KEEP)(compact)


def compact(url: Url = None, space: SpaceName = "default", as_json: Json = False) -> None:
    """Fold the journal's end, write the store anew without what was removed, and say the gain."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        done = glymph.compact()
    output.answer(plain(done), _render(done), as_json=as_json)


def _render(done: Compacted) -> Blocks:
    gained = done.bytes_before - done.bytes_after
    sizes = f"{done.bytes_before:,} bytes before, {done.bytes_after:,} after"
    yield Line(f"The store is written anew: {sizes}, {gained:,} gained.", "bold")
    entries = quantity(done.folded.entries, "journal entry", "journal entries")
    yield Line(f"Folded: {entries}, {quantity(done.folded.operations, 'operation', 'operations')}.")
    if not done.certificates:
        yield Line("No certificate waited for it.")
    for one in done.certificates:
        yield Line(one.text)
