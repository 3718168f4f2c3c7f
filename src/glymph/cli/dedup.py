"""`glymph prune dedup`: pairs of memories that say the same, or nearly so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Json, SpaceName, Url
from glymph.cli.progress import show_progress
from glymph.plain import plain
from glymph.tools.blocks import Line, format_cell, quantity

if TYPE_CHECKING:
    from glymph.model import DuplicateReport
    from glymph.tools.render import Blocks


def register(app: typer.Typer) -> None:
    app.command("dedup", rich_help_panel=KEEP)(dedup)


def dedup(
    apply: Annotated[
        bool,
        typer.Option(
            "--apply", help="Link the pairs that are near. Duplicates are shown, never merged here."
        ),
    ] = False,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Show at most so many pairs.")] = 50,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Find memories that say the same, or nearly so, in the whole space."""
    with (
        environment.open_glymph(url, space, "user", create=False) as glymph,
        show_progress("comparing", "pairs", quiet=as_json) as tick,
    ):
        found = glymph.find_duplicates(apply=apply, progress=tick)
    shown = found.pairs[:limit]
    counts = {"duplicates": len(found.duplicates), "near": len(found.near)}
    facts = {"applied": apply, **plain(found), **counts, "pairs": plain(shown)}
    here = "" if space == "default" else f" --space {space}"
    output.answer(facts, _render(found, limit, here, apply=apply), as_json=as_json)


def _render(found: DuplicateReport, limit: int, here: str, *, apply: bool) -> Blocks:
    shown = found.pairs[:limit]
    for pair in shown:
        yield Line(f"{pair.verdict} {pair.cosine:.3f}: {format_cell(pair.reason)}", "bold")
        for memory, title in zip((pair.a, pair.b), pair.titles, strict=True):
            yield Line(f"  {memory}  {format_cell(title)}")
    total = len(found.pairs)
    if len(shown) < total:
        yield Line(f"{total - len(shown):,} more: --limit {total} shows them all.")
    yield Line(_summarize(found, here, apply=apply))


def _summarize(found: DuplicateReport, here: str, *, apply: bool) -> str:
    compared = f"Compared {quantity(found.examined, 'memory', 'memories')}"
    if not found.pairs:
        return f"{compared}: no two say the same or nearly so."
    duplicates = quantity(len(found.duplicates), "pair says", "pairs say")
    near = quantity(len(found.near), "is near", "are near")
    text = f"{compared}: {duplicates} the same, {near}."
    if found.operation_id:
        undo = f"glymph undo {found.operation_id}{here}"
        return f"{text} Linked {found.linked:,}. Take it back with: {undo}"
    if apply:
        return f"{text} There was nothing to link."
    return f"{text} Link those with: glymph prune dedup --apply{here}" if found.near else text
