"""`glymph install remove HOST`: takes Glymph out of an agent's host."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import typer

from glymph.cli.install import HostScope, ScopeName, answer_changes, parse_scope
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, Apply, Json
from glymph.plugin import content, hosts, install
from glymph.plugin.hosts import HOSTS, Host


def register(app: typer.Typer) -> None:
    group = make_group("Take away from a host what `install` put there.")
    group.command("claude-code")(uninstall_claude_code)
    for host in HOSTS.values():
        group.command(host.name)(_uninstall_command(host))
    app.add_typer(group, name="uninstall", rich_help_panel=KEEP)


def _uninstall_command(host: Host) -> Callable[..., None]:
    """Returns the command that takes the MCP server out of a host's settings."""

    def uninstall_host(
        scope: HostScope = "user", apply: Apply = False, as_json: Json = False
    ) -> None:
        changes = hosts.plan_uninstall(host, scope)
        further = []
        if apply:
            install.carry_out(changes)
            further = _name_copies(hosts.backups(host, scope))
        none = "nothing of Glymph's is there"
        answer_changes(changes, further, none, apply=apply, as_json=as_json)

    uninstall_host.__doc__ = (
        f"Take away from {host.label} exactly what `install` put there. What is remembered stays."
    )
    return uninstall_host


def _name_copies(copies: Iterable[Path]) -> list[str]:
    return [f"{copy} is as the file was before: remove it when you like." for copy in copies]


def uninstall_claude_code(
    scope: ScopeName = "user", apply: Apply = False, as_json: Json = False
) -> None:
    """Take away from Claude Code exactly what `install` put there. What is remembered stays."""
    chosen = parse_scope(scope)
    changes = install.plan_uninstall(chosen)
    if apply:
        install.carry_out(changes)
    further = _name_copies(install.backups(chosen))
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
