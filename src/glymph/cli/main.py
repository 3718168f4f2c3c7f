"""The `glymph` command: every tool is a command; each other command is a file beside this one."""

from __future__ import annotations

import io
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from glymph import __version__
from glymph.cli import (
    ai_prune,
    backup,
    certificates,
    compact,
    config,
    daemon,
    dedup,
    demo,
    doctor,
    embed,
    export,
    extract,
    fading,
    fit,
    garden,
    history,
    import_,
    init,
    install,
    lifecycle,
    mcp,
    migrate,
    plan,
    prune,
    reinforce,
    restore,
    space,
    status,
    surface,
    tombstones,
    trash,
    uninstall,
    worker,
)
from glymph.cli import list as list_memories
from glymph.errors import BadExtension, GlymphError
from glymph.tools.index import Listed, built_in_commands, find_command, package_commands

TOOLS_PANEL = "Memory"
FAILED = 1
# Tools of daily use, which the help lists first.
DAILY = ("add", "search", "recall", "report", "get", "update", "link", "delete", "undo")
# Every other command has a file of its name here; the help lists them in this order.
COMMANDS = (
    status, list_memories, doctor, demo, mcp, history,
    init, export, import_, backup, restore, space, config, migrate, embed, fit, dedup, prune, plan,
    trash, certificates, compact,
    extract, lifecycle, ai_prune, fading, reinforce, surface, garden, daemon, worker,
    tombstones, install, uninstall,
)  # fmt: skip


class Commands(TyperGroup):
    """Lists tools by name and loads one only when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        added = package_commands()
        for command in added.keys() & set(own):
            problem = f"its command {command!r} is one of Glymph's; give it another"
            raise BadExtension("glymph.tools", added[command].tool, problem)
        rest = [name for name in {**built_in_commands(), **added} if name not in DAILY]
        return [*DAILY, *rest, *own]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        listed = find_command(cmd_name) if own is None else None
        if listed is None:
            return own
        return TyperCommand(cmd_name, help=listed.description, rich_help_panel=TOOLS_PANEL)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes the commands under the headings of their panels."""
        panels: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            panels.setdefault(command.rich_help_panel, []).append(
                (name, command.get_short_help_str(200))
            )
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        listed = None if name in self.commands else find_command(name)
        if listed is None:
            return super().resolve_command(ctx, args)
        return name, _load_command(listed), args[1:]


def _load_command(listed: Listed) -> Any:
    from glymph.cli.tool_command import command_for
    from glymph.tools import extension_point

    tool = extension_point().get(listed.tool)
    assert tool is not None  # it was listed
    return command_for(tool)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich's Markdown would cost a third of a cold start
    help="Long-term memory for AI agents that cleans itself while the agent sleeps.",
    epilog="Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 some ids were left alone.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"glymph {__version__}")
        raise typer.Exit


@app.callback()
def glymph(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    pass


for command in COMMANDS:
    command.register(app)


def main() -> None:
    """Runs a command. An error of Glymph's is one line, or one JSON document with --json."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A console without our arrows still shows the rest.
        sys.stdout.reconfigure(errors="replace")
    try:
        app(prog_name="glymph")
    except GlymphError as error:
        if "--json" in sys.argv:
            from glymph.cli import output

            output.print_json({"error": {"code": error.code, "message": str(error)}})
        else:
            sys.stderr.write(f"glymph: {error}\n")
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; say nothing more
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
