"""The `glymph` command. Every tool is a command; the rest looks after stores, spaces and settings."""

from __future__ import annotations

import io
import sys
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from glymph.cli import (
    certificates,
    daemon,
    dedup,
    embed,
    fit,
    garden,
    history,
    install,
    look,
    migrate,
    prune,
    store,
    tombstones,
    upkeep,
    worker,
)
from glymph.errors import GlymphError
from glymph.tools.index import commands

TOOLS_PANEL = "Memory"
USAGE = 2
FAILED = 1


def _in_order() -> list[str]:
    """The tools' commands, those of daily use first."""
    daily = ["add", "search", "recall", "report", "get", "update", "link", "delete", "undo"]
    return daily + [name for name in commands() if name not in daily]


class Commands(TyperGroup):
    """Lists tools by name and loads one only when it is called."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_in_order(), *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in commands():
            return TyperCommand(cmd_name, help=commands()[cmd_name][1], rich_help_panel=TOOLS_PANEL)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands under the heading of their panel."""
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
        if args and args[0] in commands():
            from glymph.cli.derive import command_for

            return args[0], command_for(args[0]), args[1:]
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich's Markdown would cost a third of a cold start
    help="Long-term memory for AI agents that cleans itself while the agent sleeps.",
    epilog="Exit status: 0 done, 1 refused or failed, 2 wrong usage, 3 some ids were left alone.",
)


@app.callback()
def glymph() -> None:
    pass


look.register(app)
history.register(app)
store.register(app)
migrate.register(app)
embed.register(app)
fit.register(app)
dedup.register(app)
prune.register(app)
certificates.register(app)
upkeep.register(app)
garden.register(app)
daemon.register(app)
worker.register(app)
tombstones.register(app)
install.register(app)


def main() -> None:
    """Runs a command; a typed error becomes one readable line, or one JSON document with --json."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(
            errors="replace"
        )  # a console without our arrows still shows the rest
    try:
        app(prog_name="glymph")
    except GlymphError as error:
        if "--json" in sys.argv:
            from glymph.cli import show

            show.document({"error": {"code": error.code, "message": str(error)}})
        else:
            sys.stderr.write(f"glymph: {error}\n")
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; say nothing more
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
