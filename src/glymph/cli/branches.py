"""Groups of commands that are listed from the table in `tree` and loaded only when called."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from glymph.cli.listing import Listing
from glymph.cli.naming import name_commands
from glymph.cli.stopping import STOPPED
from glymph.errors import BadExtension
from glymph.tools import tree
from glymph.tools.index import Listed, find_command, package_commands

MODULES = {"import": "import_"}  # of commands that are words of Python
HELP = ("-h", "--help")
GAP = 2  # columns between two of the help
SHORTEST_ID = 6  # characters from which a word of such letters is an id


class Branch(Listing):
    """A group whose commands are tools and files."""

    def __init__(self, name: str, group: tree.Group) -> None:
        super().__init__(
            name=name,
            help=group.summary,
            rich_markup_mode=None,
            no_args_is_help=not group.bare,
            subcommand_metavar="COMMAND [ARGS]...",
        )
        self._group = group

    @property
    def _sources(self) -> dict[str, str]:
        return self._group.commands

    def _own(self) -> dict[str, Any]:
        """Returns the commands of the file that stands here as well."""
        also = self._group.also
        return {} if also is None else load_file(also).commands

    def list_commands(self, ctx: Any) -> list[str]:
        return [name for name in (*self._own(), *self._sources) if name != self._group.default]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Returns what the list needs of a command, without loading it."""
        if (source := self._sources.get(cmd_name)) is None:
            return self._own().get(cmd_name)
        return TyperCommand(cmd_name, help=_describe(source))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if (source := self._sources.get(name)) is not None:
            return name, load(source), args[1:]
        if (own := self._own().get(name)) is not None:
            return name, own, args[1:]
        return refuse(self, ctx, args, self.name)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        default = self._group.default
        if default is not None and self._means_default(args) and not ctx.resilient_parsing:
            args = [default, *args]
        return super().parse_args(ctx, args)

    def _means_default(self, args: list[str]) -> bool:
        if not args:
            return self._group.bare
        return args[0] not in (*HELP, *self._sources) and (
            args[0].startswith("-") or (not self._group.bare and _is_like_an_id(args[0]))
        )

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        found = super().shell_complete(ctx, incomplete)
        if (default := self._group.default) is None:
            return found
        known = {item.value for item in found}
        more = load(self._sources[default]).shell_complete(ctx, incomplete)
        return [*found, *(item for item in more if item.value not in known)]

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        if (default := self._group.default) is None:
            return super().collect_usage_pieces(ctx)
        own = load(self._sources[default]).collect_usage_pieces(ctx)
        return [*own, "|", self.subcommand_metavar]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        if (default := self._group.default) is None:
            super().format_options(ctx, formatter)
            return
        load(self._sources[default]).format_options(ctx, formatter)
        self.format_commands(ctx, formatter)


class Root(TyperGroup):
    """The program itself: sections of commands, and names from before that are not listed."""

    def list_commands(self, ctx: Any) -> list[str]:
        added = package_commands()
        known = {*tree.TOP, *tree.PLACES}
        for command in added.keys() & known:
            problem = f"its command {command!r} is one of Glymph's; give it another"
            raise BadExtension("glymph.tools", added[command].tool, problem)
        return [*tree.TOP, *added]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Returns what the list needs of a command, without loading it."""
        if (summary := tree.TOP.get(cmd_name)) is not None:
            return TyperCommand(cmd_name, help=summary)
        if cmd_name in tree.PLACES:
            return TyperCommand(cmd_name, help=_describe(cmd_name), hidden=True)
        listed = find_command(cmd_name)
        return None if listed is None else TyperCommand(cmd_name, help=listed.description)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if (group := tree.GROUPS.get(name)) is not None:
            return name, Branch(name, group), args[1:]
        if (place := tree.find_moved(name)) is not None and not ctx.resilient_parsing:
            _hint(name, place, args)
        if name in tree.PLACES or find_command(name) is not None:
            return name, load(name), args[1:]
        return refuse(self, ctx, args)

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:  # which Typer would tell in its own words
            raise typer.Exit(STOPPED) from error

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Puts the commands first: they are what people look for."""
        self.format_commands(ctx, formatter)
        rows = [one.get_help_record(ctx) for one in self.get_params(ctx)]
        with formatter.section("Options"):
            formatter.write_dl([row for row in rows if row is not None])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Writes a section after the other: its name, and beside it its commands."""
        sections = dict(tree.SECTIONS)
        names = self.list_commands(ctx)
        if added := {n: _describe(n) for n in names if n not in tree.TOP}:
            sections[tree.ADDED] = added
        left = max(map(len, sections)) + GAP
        middle = max(map(len, names)) + GAP
        for section, commands in sections.items():
            formatter.write("\n")
            title = section
            for name, summary in commands.items():
                formatter.write(f"  {title:<{left}}{name:<{middle}}{summary}\n")
                title = ""


def refuse(group: TyperGroup, ctx: Any, args: list[str], name: str | None = None) -> Any:
    """Ends with wrong usage, and names the commands that may have been meant."""
    if args[0].startswith("-"):
        return TyperGroup.resolve_command(group, ctx, args)
    if ctx.resilient_parsing:
        return None, None, args[1:]
    said = tree.suggest(args[0], name) or tree.explain(name)
    return ctx.fail(f"No such command {args[0]!r}. {said}".rstrip())


def load(source: str) -> Any:
    """Returns the command of a tool or a file."""
    listed = None if source in tree.FILES else find_command(source)
    return load_file(source) if listed is None else _load_tool(listed)


def load_file(name: str) -> Any:
    """Imports the file of a command that is no tool, and returns the command."""
    file = import_module(f"glymph.cli.{MODULES.get(name, name.replace('-', '_'))}")
    group = typer.Typer(rich_markup_mode=None)
    file.register(group)
    command: Any = get_group(group).commands[name]
    command.read_only = name in tree.LOOKING
    return command


def _load_tool(listed: Listed) -> Any:
    from glymph.cli.tool_command import command_for
    from glymph.tools import extension_point

    tool = extension_point().get(listed.tool)
    assert tool is not None  # it was listed
    return command_for(tool)


def _describe(source: str) -> str:
    if (summary := tree.FILES.get(source)) is not None:
        return summary
    listed = find_command(source)
    assert listed is not None  # a test holds the table against the tools
    return name_commands(listed.description)


def _is_like_an_id(word: str) -> bool:
    return len(word) >= SHORTEST_ID and not set(word) - set("0123456789abcdef-")


def _hint(name: str, place: tuple[str, ...], args: list[str]) -> None:
    """Tells people on standard error where a command is now; programs get what they got."""
    if "--json" in args or "--log-json" in args:
        return
    old, new = tree.write_path((name,)), tree.write_path(place)
    sys.stderr.write(f"`{old}` is `{new}` now\n")
