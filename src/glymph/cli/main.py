"""The `glymph` command: every tool is a command; each other command is a file beside this one."""

from __future__ import annotations

import io
import sys
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from glymph import __version__
from glymph.cli.options import KEEP, LOOK, SLEEP
from glymph.errors import BadExtension, GlymphError
from glymph.tools.index import Listed, built_in_commands, find_command, package_commands

TOOLS_PANEL = "Memory"
FAILED = 1
FILES = {"import": "import_"}  # of commands that are words of Python
# Tools of daily use, which the help lists first.
DAILY = ("add", "search", "recall", "report", "get", "update", "link", "delete", "undo")
# Every other command has a file of its name here, which is loaded when the command is called. The
# help lists them in this order.
COMMANDS = {
    LOOK: {
        "status": "Show what a space holds, what upkeep did and will do, and what needs a hand.",
        "list": "List memories, newest first.",
        "audit": "Judge the memories of another program, or of a space: duplicates, stale, "
        "contradictory, junk, secrets; nothing is changed.",
        "doctor": "Check a whole store against every invariant, name what is wrong and what to do "
        "about it, and tell how recall finds by meaning.",
        "demo": "Play some of an agent's life into a fresh store and show what became of it.",
        "mcp": "Serve the memory tools to an agent over MCP, on standard input and output or over "
        "HTTP.",
        "serve": "Serve the store over HTTP: /v1 for programs, MCP for agents, and upkeep, in one "
        "process.",
        "open": "Open the dashboard of a store in the browser, signed in.",
        "tools": "Show the tools as frameworks take them.",
        "history": "Show what happened to a memory (`glymph history ID`), and look after "
        "conversations.",
    },
    KEEP: {
        "init": "Create the store and the space, if they are not there yet.",
        "export": "Write a whole space, journal included, as JSON Lines into a new file.",
        "import": "Take in what another program keeps (mem0, ChromaDB, LangGraph, Claude, ChatGPT, "
        "Markdown, …), or an export of Glymph.",
        "backup": "Copy the whole store into a new file while others go on writing.",
        "restore": "Check a backup and copy it to a new file, without what was removed for good "
        "from the store in use since.",
        "space": "List, create, rename and delete spaces.",
        "token": "Make, list and revoke the tokens that let programs in over HTTP.",
        "config": "Show and change settings.",
        "migrate": "Move spaces to another store, with history and trash; repeat it to go on after "
        "a kill or to bring it up.",
        "embed": "Give a vector to every memory that waits for one.",
        "fit": "Fit the forgetting curves to the recall log and adopt those that are better.",
        "dedup": "Find memories that say the same, or nearly so, in the whole space.",
        "prune": "Archive or trash exactly what a plan shows; what changed since is left alone and "
        "named.",
        "plan": "Look at plans that can be pruned from.",
        "trash": "Look into the trash, and empty it.",
        "certificates": "Show what was removed for good, and for each place whether it is clean.",
        "compact": "Fold the journal's end, write the store anew without what was removed, and say "
        "the gain.",
        "tombstones": "List and lift what keeps facts removed for good from being learnt again.",
        "install": "Let an agent's host work with Glymph.",
        "uninstall": "Take away from a host what `install` put there.",
    },
    SLEEP: {
        "extract": "Remember what a transcript says that will matter later; it is read from where "
        "it was left.",
        "lifecycle": "Archive what has faded and has a reason to go; trash what it archived long "
        "ago.",
        "ai-prune": "Let the language model nominate what may go; code decides, and only ever "
        "archives.",
        "fading": "List the lessons, theses and playbooks that fade unless they are used.",
        "reinforce": "Count one use of memories, so that they stay.",
        "surface": "Print the digest that a session begins with.",
        "garden": "Drop links that have faded away, merge what is said twice, and list what "
        "nothing leads to.",
        "daemon": "Run upkeep when it is due, in all spaces of a store, until it is told to stop "
        "(Ctrl-C or SIGTERM).",
        "worker": "Run upkeep from the queue of a store, with any number of workers: each space is "
        "served by one at a time.",
    },
}


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
        if name in self.commands:
            return name, load_command(name), args[1:]
        listed = find_command(name)
        if listed is None:
            return super().resolve_command(ctx, args)
        return name, _load_tool(listed), args[1:]


def load_command(name: str) -> Any:
    """Imports the file of a command that is no tool, and returns the command."""
    file = import_module(f"glymph.cli.{FILES.get(name, name.replace('-', '_'))}")
    group = typer.Typer(rich_markup_mode=None)
    file.register(group)
    return get_group(group).commands[name]


def _load_tool(listed: Listed) -> Any:
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


for panel, commands in COMMANDS.items():
    for command, summary in commands.items():
        app.command(command, help=summary, rich_help_panel=panel)(load_command)


def main() -> None:
    """Runs a command. An error of Glymph's is one line, or one JSON document with --json."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A console without our arrows still shows the rest.
        sys.stdout.reconfigure(errors="replace")
    try:
        app(prog_name="glymph")
    except GlymphError as error:
        from glymph.cli import output
        from glymph.text.secrets import mask_secrets

        message = mask_secrets(str(error))[0]
        if "--json" in sys.argv:
            output.print_json({"error": {"code": error.code, "message": message}})
        else:
            output.print_error(message)
        sys.exit(FAILED)
    except BrokenPipeError:
        sys.stderr.close()  # the reader left; say nothing more
        sys.exit(FAILED)


if __name__ == "__main__":
    main()
