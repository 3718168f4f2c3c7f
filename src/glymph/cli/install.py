"""`glymph install HOST`: Glymph in an agent's host."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from glymph import environment
from glymph.cli import output
from glymph.cli.listing import make_group
from glymph.cli.options import KEEP, WHERE, Apply, Json, Url
from glymph.environment import PROJECT
from glymph.errors import InvalidInput
from glymph.plugin import content, hosts, install
from glymph.plugin.hosts import HOSTS
from glymph.plugin.install import SCOPES
from glymph.tools.blocks import Line
from glymph.tools.render import NOT_CHANGED

if TYPE_CHECKING:
    from glymph.plugin.hosts import Host
    from glymph.plugin.install import Change, Scope

ScopeName = Annotated[
    str,
    typer.Option(
        "--scope",
        help="user: every project; project: this one; plugin: a plugin folder that Claude Code "
        "installs itself.",
    ),
]
ShowFiles = Annotated[
    bool,
    typer.Option("--print", help="Print what would be put into each file, and change nothing."),
]
HostScope = Annotated[
    str, typer.Option("--scope", help="user: every project; project: this one, where it can.")
]
SessionSpace = Annotated[
    str,
    typer.Option(
        "--space",
        help="The space of the sessions; @project: each project its own.",
        rich_help_panel=WHERE,
    ),
]
DONE = {"write": "wrote", "change": "changed", "remove": "removed", "keep": "kept"}


def register(app: typer.Typer) -> None:
    group = make_group("Let an agent's host work with Glymph.")
    group.command("claude-code")(install_claude_code)
    for host in HOSTS.values():
        group.command(host.name)(_install_command(host))
    app.add_typer(group, name="install", rich_help_panel=KEEP)


def _install_command(host: Host) -> Callable[..., None]:
    """Returns the command that puts the MCP server into a host's settings."""

    def install_host(
        scope: HostScope = "user",
        show_files: ShowFiles = False,
        apply: Apply = False,
        url: Url = None,
        space: SessionSpace = host.space,
        as_json: Json = False,
    ) -> None:
        if show_files and apply:
            raise InvalidInput("print", "it changes nothing; leave out --print or --apply.")
        wiring = content.Wiring(content.find_program(), environment.absolute_url(url or ""), space)
        if show_files:
            _print({str(host.path(scope)): hosts.fragment(host, wiring)}, as_json=as_json)
            return
        changes = hosts.plan_install(host, scope, wiring)
        further = []
        if apply:
            install.carry_out(changes)
            further = [*_need_mcp(), f"It is in force when {host.label} starts the next time."]
        none = "everything is there already"
        answer_changes(changes, further, none, apply=apply, as_json=as_json)

    install_host.__doc__ = f"Give {host.label} its memory: the MCP server in its settings."
    return install_host


def install_claude_code(
    scope: ScopeName = "user",
    show_files: ShowFiles = False,
    apply: Apply = False,
    url: Url = None,
    space: SessionSpace = PROJECT,
    as_json: Json = False,
) -> None:
    """Give Claude Code its memory: hooks, the MCP server, a skill and the /memory-… commands."""
    if show_files and apply:
        raise InvalidInput("print", "it changes nothing; leave out --print or --apply.")
    chosen = parse_scope(scope)
    wiring = content.Wiring(content.find_program(), environment.absolute_url(url or ""), space)
    if show_files:
        _print(
            {str(path): text for path, text in install.fragments(chosen, wiring).items()},
            as_json=as_json,
        )
        return
    changes = install.plan_install(chosen, wiring)
    if apply:
        install.carry_out(changes)
    further = _after_install(chosen) if apply else []
    answer_changes(changes, further, "everything is there already", apply=apply, as_json=as_json)


def parse_scope(name: str) -> Scope:
    """Returns the scope of that name, or raises InvalidInput."""
    for scope in SCOPES:
        if scope == name:
            return scope
    raise InvalidInput("scope", f"{name!r} is not one of {', '.join(SCOPES)}.")


def _after_install(scope: Scope) -> list[str]:
    """Says what is left for the person to do."""
    steps = _need_mcp()
    if scope == "plugin":
        folder = install.place(scope).folder
        steps.append(f"Next: claude plugin marketplace add {quote(str(folder))}")
        steps.append(f"Then: claude plugin install {content.PLUGIN}")
    else:
        steps.append("It is in force from the next session of Claude Code on.")
    return steps


def _need_mcp() -> list[str]:
    there = find_spec("mcp") is not None
    return [] if there else ["The tools need an extra package: pip install 'glymph[mcp]'."]


def _print(files: dict[str, str], *, as_json: bool) -> None:
    if as_json:
        output.print_json({"files": files})
        return
    for path, text in files.items():
        typer.echo(f"# {path}\n\n{text}")


def answer_changes(
    changes: Sequence[Change], further: Sequence[str], none: str, *, apply: bool, as_json: bool
) -> None:
    """Prints what was or would be done to each file, and what is next."""
    verbs = [(change.verb, str(change.path)) for change in changes]
    same = all(verb == "keep" for verb, _ in verbs)
    if as_json:
        rows: list[dict[str, Any]] = [{"change": verb, "path": path} for verb, path in verbs]
        changed = {"dry_run": not apply, "changed": apply and not same}
        output.print_json({**changed, "files": rows, "next": list(further)})
        return
    if same:
        output.print_blocks([Line(f"Nothing to do: {none}.", "bold")])
    elif not apply:
        output.print_blocks([Line(f"This would be done. {NOT_CHANGED}", "bold")])
    for verb, path in verbs:  # never wrapped: paths and commands are copied
        typer.echo(f"  {DONE[verb] if apply else verb:<7}  {path}")
    for sentence in further:
        typer.echo(sentence)
