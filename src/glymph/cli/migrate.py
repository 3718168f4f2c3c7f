"""`glymph migrate`: spaces move from one store to another, whole, checked, and again after a kill."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from glymph.client.migrating import Moved, Planned, Progress, Report

PANEL = "Keep"
SHORT = 12  # digits of a checksum that people compare


def register(app: typer.Typer) -> None:
    app.command("migrate", rich_help_panel=PANEL)(migrate)


def migrate(
    source: Annotated[str, typer.Argument(help="The store to read.", show_default=False)],
    target: Annotated[
        str, typer.Argument(help="The store to fill; made if it is missing.", show_default=False)
    ],
    spaces: Annotated[
        list[str] | None,
        typer.Option("--space", help="A space to move; left out: all. May be repeated."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be moved.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Move spaces to another store, with history and trash; repeat it to go on after a kill or to
    bring it up.
    """
    from glymph import environment
    from glymph.client.migrating import migrate, shown, survey_migration

    settings, _ = environment.effective_settings()
    if dry_run:
        with _telling(as_json) as tell:
            planned, missing = survey_migration(
                source, target, spaces=spaces, settings=settings, progress=tell
            )
        behind = _behind(source, [one.space for one in planned])
        _would(planned, missing, shown(target), behind, as_json=as_json)
        return
    with _telling(as_json) as tell:
        report = migrate(source, target, spaces=spaces, settings=settings, progress=tell)
    _did(
        report,
        shown(target),
        _behind(source, [one.space for one in report.spaces]),
        as_json=as_json,
    )


def _behind(source: str, spaces: Sequence[str]) -> list[str]:
    """The folders of the source with conversations of spaces, which no migration carries."""
    from glymph import environment

    if not spaces:
        return []
    with environment.open_glymph(source, spaces[0], "user", create=False) as glymph:
        return [str(folder) for folder in glymph.conversation_folders(*spaces)]


@contextmanager
def _telling(quiet: bool) -> Iterator[Callable[[Progress], None]]:
    """Shows on standard error how far each space is; where a move goes on is said in a line that
    stays.
    """
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    console = Console(stderr=True, highlight=False, soft_wrap=True)
    said: set[str] = set()
    with Bars(
        TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,} rows"),
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


def _would(
    planned: Sequence[Planned], missing: str, target: str, behind: list[str], *, as_json: bool
) -> None:
    from glymph.cli import show

    refused = [one for one in planned if one.obstacle]
    if as_json:
        facts = [
            {
                "space": p.space,
                "rows": p.rows,
                "plan": p.plan,
                "goes_on_at": p.goes_on_at,
                "obstacle": p.obstacle,
            }
            for p in planned
        ]
        told = {"dry_run": True, "target": target, "target_is_new": bool(missing), "spaces": facts}
        show.document({**told, "left_behind": behind})
    else:
        show.table(
            ["space", "rows>", "what"], [[p.space, f"{p.rows:,}", _plan(p)] for p in planned]
        )
        made = f"{target} would be made. " if missing else ""
        if behind:
            show.line(show.left_behind(behind))
        show.line(f"{made}{_next_step(len(refused), len(planned))}")
    if refused:
        raise typer.Exit(1)


def _plan(one: Planned) -> str:
    if one.obstacle:
        return f"in the way: {one.obstacle}"
    return one.plan + (f", goes on at row {one.goes_on_at:,}" if one.goes_on_at else "")


def _next_step(refused: int, spaces: int) -> str:
    from glymph.cli import show

    if refused:
        return "Nothing is moved while something is in the way."
    return f"{show.counted(spaces, 'space', 'spaces')}; run it without --dry-run to do it."


def _did(report: Report, target: str, behind: list[str], *, as_json: bool) -> None:
    from glymph.cli import show
    from glymph.plain import plain

    if as_json:
        show.document({"target": target, **plain(report), "left_behind": behind})
        return
    columns = ["space", "rows>", "checksum", "searches>", "seconds>", "outcome"]
    show.table(columns, [_row(one) for one in report.spaces])
    unsettled = sum(one.unsettled for one in report.spaces)
    if unsettled:
        many = show.counted(unsettled, "erase certificate stays", "erase certificates stay")
        show.line(
            f"{many} pending in the source, whose files may still hold what was removed: run `glymph compact`."
        )
    if report.changed:
        names = ", ".join(report.changed)
        show.line(
            f"Written to in the source meanwhile: {names}. Run it again to bring that over, too."
        )
    if behind:
        show.line(show.left_behind(behind))
    show.line(
        f"{target} has {show.counted(len(report.spaces), 'space', 'spaces')} of the source, checked."
    )


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
