"""`glymph sleep fit`: fits the forgetting curves of a space to its own recall log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.options import KEEP, Apply, Json, SpaceName, Url
from glymph.plain import plain
from glymph.tools.blocks import Table

if TYPE_CHECKING:
    from glymph.decay.fit import Fit, SectionFit


def register(app: typer.Typer) -> None:
    app.command("fit", rich_help_panel=KEEP)(fit)


def fit(
    apply: Apply = False,
    reset: Annotated[
        bool,
        typer.Option(
            "--reset", help="Take adopted curves back: every section fades by its own again."
        ),
    ] = False,
    url: Url = None,
    space: SpaceName = "default",
    as_json: Json = False,
) -> None:
    """Fit the forgetting curves to the recall log and adopt those that are better."""
    with environment.open_glymph(url, space, "user", create=False) as glymph:
        found = glymph.fit(apply=apply, reset=reset)
    columns = ["section", "shown>", "used>", "days>", "decay>", "scale>", "log loss>", "verdict"]
    command = "glymph sleep fit" if space == "default" else f"glymph sleep fit --space {space}"
    output.answer(
        {"applied": apply, "reset": reset, **plain(found)},
        [
            Table(columns, [_row(one) for one in found.sections]),
            _next_step(found, command, apply=apply, reset=reset),
        ],
        as_json=as_json,
    )


def _row(one: SectionFit) -> list[str | int]:
    after = one.after or one.before
    return [
        one.section.value, one.observations, one.used, one.days,
        _change(one.before.decay, after.decay, 3), _change(one.before.scale, after.scale, 2),
        _change(one.log_loss_before, one.log_loss_after, 4), one.note,
    ]  # fmt: skip


def _change(before: float | None, after: float | None, digits: int) -> str:
    """Returns both figures with an arrow between them, or one where they look the same."""
    figures = [f"{value:.{digits}f}" for value in (before, after) if value is not None]
    return " → ".join(dict.fromkeys(figures))


def _next_step(found: Fit, command: str, *, apply: bool, reset: bool) -> str:
    better = ", ".join(one.section.value for one in found.sections if one.better)
    adopted = ", ".join(found.adopted)
    if reset:
        return "Every section fades by its own curve again."
    if better and apply:
        return f"Adopted for {better}. Take it back with: {command} --reset"
    if better:
        return f"Better for {better}. Adopt it with: {command} --apply"
    if all(one.after is None for one in found.sections):
        report = "glymph memory report RECALL_ID --used MEMORY_ID"
        return f"Nothing to fit yet. Recall, then say what was used: {report}"
    if adopted:
        return (
            f"Nothing better to adopt. In force for {adopted}; take it back with: {command} --reset"
        )
    return "Nothing to adopt."
