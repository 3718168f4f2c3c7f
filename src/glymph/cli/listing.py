"""A group of commands whose help says in full what each of them does."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

LONGEST = 200  # characters of a summary; Typer cuts it at the end of the line


class Listing(TyperGroup):
    """Lists its commands, each with the whole sentence that its own help begins with."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is not None and not command.hidden:
                rows.append((name, command.get_short_help_str(LONGEST)))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def make_group(summary: str, cls: type[Listing] = Listing) -> typer.Typer:
    """Returns an empty group of commands, which shows its help where none of them is named."""
    return typer.Typer(cls=cls, no_args_is_help=True, rich_markup_mode=None, help=summary)
