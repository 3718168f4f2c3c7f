"""`glymph store migrate`: moves spaces from one store to another, and goes on after a kill."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from glymph import environment
from glymph.cli import output
from glymph.cli.export import describe_left_behind
from glymph.cli.options import KEEP, Json
from glymph.plain import plain
from glymph.tools.blocks import Table, quantity
from glymph.transfer.migrate import hide_credentials

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from glymph.transfer.migrate import Moved, Planned, Progress, Report

SHORT = 12  # digits of a checksum that people compare


def register(app: typer.Typer) -> None:
    app.command("migrate", rich_help_panel=KEEP)(migrate)


def migrate(
    source: Annotated[str, typer.Argument(help="The store to read.", show_default=False)],
    target: Annotated[
        str, typer.Argument(help="The store to fill; made if it is missing.", show_default=False)
    ],
    spaces: Annotated[
        list[str] | None,
        typer.Option(
            "--space", metavar="<str>", help="A space to move; left out: all. May be repeated."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be moved.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Move spaces to another store, with history and trash; repeat it to go on after a kill or to
    bring it up.
    """
    from glymph.stores import migrate, survey_migration

    settings, _ = environment.effective_settings()
    if dry_run:
        with _show_steps(as_json) as tell:
            planned, missing = survey_migration(
                source, target, spaces=spaces, settings=settings, progress=tell
            )
        behind = _find_left_behind(source, [one.space for one in planned])
        _answer_plan(planned, missing, hide_credentials(target), behind, as_json=as_json)
        return
    with _show_steps(as_json) as tell:
        report = migrate(source, target, spaces=spaces, settings=settings, progress=tell)
    behind = _find_left_behind(source, [one.space for one in report.spaces])
    facts = {"target": hide_credentials(target), **plain(report), "left_behind": behind}
    output.answer(facts, _render(report, hide_credentials(target), behind), as_json=as_json)


def _find_left_behind(source: str, spaces: Sequence[str]) -> list[str]:
    """Returns the folders of the source with conversations, which no migration carries."""
    if not spaces:
        return []
    with environment.open_glymph(source, spaces[0], "user", create=False) as glymph:
        return [str(folder) for folder in glymph.conversations.folders(*spaces)]


@contextmanager
def _show_steps(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Shows on standard error how far each space is, and in a line that stays where it goes on."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    said: set[str] = set()
    with Bars(
        TextColumn("{task.description}"), BarColumn(),
        TextColumn("{task.completed:,} of {task.total:,} rows"),
        console=console, disable=quiet or not console.is_terminal, transient=True,
    ) as bars:  # fmt: skip
        task = bars.add_task("", total=0)

        def tell(step: Progress) -> None:
            if step.goes_on_at and step.space not in said and not quiet:
                said.add(step.space)
                console.print(
                    f"{step.space} goes on at row {step.goes_on_at:,} of {step.total:,}.",
                    markup=False,
                )
            bars.update(
                task,
                description=f"{step.space}: {step.step}",
                completed=step.rows,
                total=step.total,
            )

        yield tell


def _answer_plan(
    planned: Sequence[Planned], missing: str, target: str, behind: list[str], *, as_json: bool
) -> None:
    spaces = [
        {
            "space": one.space,
            "rows": one.rows,
            "plan": one.plan,
            "goes_on_at": one.goes_on_at,
            "obstacle": one.obstacle,
        }
        for one in planned
    ]
    facts = {"dry_run": True, "target": target, "target_is_new": bool(missing), "spaces": spaces}
    page = _render_plan(planned, missing, target, behind)
    output.answer({**facts, "left_behind": behind}, page, as_json=as_json)
    if any(one.obstacle for one in planned):
        raise typer.Exit(1)


def _render_plan(
    planned: Sequence[Planned], missing: str, target: str, behind: list[str]
) -> Iterator[Any]:
    rows = [[one.space, f"{one.rows:,}", _describe(one)] for one in planned]
    yield Table(["space", "rows>", "what"], rows)
    yield from describe_left_behind(behind)
    made = f"{target} would be made. " if missing else ""
    if any(one.obstacle for one in planned):
        yield f"{made}Nothing is moved while something is in the way."
    else:
        many = quantity(len(planned), "space", "spaces")
        yield f"{made}{many}; run it without --dry-run to do it."


def _describe(one: Planned) -> str:
    if one.obstacle:
        return f"in the way: {one.obstacle}"
    return one.plan + (f", goes on at row {one.goes_on_at:,}" if one.goes_on_at else "")


def _render(report: Report, target: str, behind: list[str]) -> Iterator[Any]:
    columns = ["space", "rows>", "checksum", "searches>", "seconds>", "outcome"]
    yield Table(columns, [_row(one) for one in report.spaces])
    if pending := sum(one.unsettled for one in report.spaces):
        many = quantity(pending, "erase certificate stays", "erase certificates stay")
        yield (
            f"{many} pending in the source, whose files may still hold what was removed: "
            "run `glymph store compact`."
        )
    if report.changed:
        names = ", ".join(report.changed)
        yield f"Written to in the source meanwhile: {names}. Run it again to bring that over, too."
    yield from describe_left_behind(behind)
    many = quantity(len(report.spaces), "space", "spaces")
    yield f"{target} has {many} of the source, checked."


def _row(one: Moved) -> list[Any]:
    outcome = one.outcome + (f", from row {one.goes_on_at:,} on" if one.goes_on_at else "")
    searches = f"{one.searched} agree" if one.searched else ""
    return [
        one.space,
        f"{one.rows:,}",
        one.checksum[:SHORT],
        searches,
        f"{one.seconds:.1f}",
        outcome,
    ]
