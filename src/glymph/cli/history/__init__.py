"""`glymph memory history`: what happened to a memory, and conversations.

Each of its commands is a file here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from glymph.cli.history.consolidate import consolidate
from glymph.cli.history.erase import erase
from glymph.cli.history.list import list_conversations
from glymph.cli.history.memory import memory
from glymph.cli.history.remove import remove
from glymph.cli.history.search import search
from glymph.cli.history.show import show
from glymph.cli.listing import Listing, make_group
from glymph.cli.options import LOOK

MEMORY = "memory"
HELP = "Show what happened to a memory (`glymph memory history ID`), and look after conversations."


class Histories(Listing):
    """Takes a single word that is none of its commands for the id of a memory."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            from glymph.ids import is_uuid7

            words = _words(self.commands[MEMORY], args)
            if len(words) < 2 or is_uuid7(words[0]):
                args = [MEMORY, *args]
        return super().parse_args(ctx, args)


def _words(command: Any, args: Sequence[str]) -> list[str]:
    """Returns the arguments of a command without its options and their values."""
    valued = {
        name for one in command.params if not getattr(one, "is_flag", True) for name in one.opts
    }
    before = ["", *args]
    return [
        word
        for last, word in zip(before, args, strict=False)
        if last not in valued and word[:1] != "-"
    ]


def register(app: typer.Typer) -> None:
    group = make_group(HELP, Histories)
    for function in (memory, show, search, consolidate, remove, erase):
        group.command(function.__name__)(function)
    group.command("list")(list_conversations)
    app.add_typer(group, name="history", rich_help_panel=LOOK)
