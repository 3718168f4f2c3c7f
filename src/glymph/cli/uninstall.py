"""`glymph uninstall claude-code`: takes Glymph out of an agent's host."""

from __future__ import annotations

import typer

from glymph.cli.install import ScopeName, answer_changes, parse_scope
from glymph.cli.options import KEEP, Apply, Json
from glymph.plugin import content, install


def register(app: typer.Typer) -> None:
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Take away from a host what `install` put there.",
    )
    group.callback()(lambda: None)  # else a group of one command would be that command
    group.command("claude-code")(uninstall_claude_code)
    app.add_typer(group, name="uninstall", rich_help_panel=KEEP)


def uninstall_claude_code(
    scope: ScopeName = "user", apply: Apply = False, as_json: Json = False
) -> None:
    """Take away from Claude Code exactly what `install` put there. What is remembered stays."""
    chosen = parse_scope(scope)
    changes = install.plan_uninstall(chosen)
    if apply:
        install.carry_out(changes)
    further = [
        f"{copy} is as the file was before: remove it when you like."
        for copy in install.backups(chosen)
    ]
    if chosen == "plugin":
        further.append(
            f"If Claude Code has it installed: `claude plugin uninstall {content.PLUGIN}`."
        )
    answer_changes(
        changes,
        further if apply else [],
        "nothing of Glymph's is there",
        apply=apply,
        as_json=as_json,
    )
