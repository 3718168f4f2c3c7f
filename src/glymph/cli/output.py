"""The output of a command: a JSON document for machines, or text and tables for people."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.text import Text

from glymph.cli.naming import name_calls
from glymph.cli.where import name_where
from glymph.text.controls import escape_controls
from glymph.tools.blocks import Line, Table, format_cell, wrap
from glymph.tools.render import render_receipt

if TYPE_CHECKING:
    from glymph.tools.blocks import Rendering

FAILED, LEFT_ALONE = 1, 3
LEADS_TO = ": glymph "  # before a command at the end of a sentence


def answer(facts: Mapping[str, Any], blocks: Rendering, *, as_json: bool) -> None:
    """Prints facts as JSON, or else what people read. A generator runs only then."""
    if as_json:
        print_json(facts)
    else:
        print_blocks(blocks)


def answer_receipt(receipt: Mapping[str, Any], *, as_json: bool) -> None:
    """Prints a receipt and ends with the status that belongs to it."""
    answer(receipt, render_receipt(receipt), as_json=as_json)
    exit_if_left_alone(receipt)


def exit_if_left_alone(result: Mapping[str, Any]) -> None:
    """Ends the program with status 3 if some ids were left alone."""
    if result.get("failed") or result.get("skipped"):
        raise typer.Exit(LEFT_ALONE)


def print_json(value: Any) -> None:
    plain_ascii = not (sys.stdout.encoding or "").lower().startswith("utf")
    document = json.dumps(value, ensure_ascii=plain_ascii, indent=2)
    sys.stdout.write(escape_controls(document) + "\n")


def print_error(error: object) -> None:
    """Prints an error, which may quote a memory, on standard error; a pipe gets it on one line."""
    said = f"glymph: {format_cell(name_where(name_calls(str(error)), sys.argv[1:]))}"
    lines = [said]
    if sys.stderr.isatty():
        console = Console(stderr=True, highlight=False)
        lines = wrap(said, console, console.width)
    sys.stderr.write("".join(f"{line.rstrip()}\n" for line in lines))


def print_blocks(blocks: Rendering) -> None:
    # A pipe has no width: one row is one line then, however long.
    columns = shutil.get_terminal_size((1_000_000, 24)).columns
    console = Console(highlight=False, width=columns)
    for block in [blocks] if isinstance(blocks, str) else blocks:
        shown = Line(block) if isinstance(block, str) else block
        if isinstance(shown, Line):
            _print_line(console, shown)
        else:
            console.print(shown, soft_wrap=isinstance(shown, Table))  # a table wraps its own lines


def _print_line(console: Console, line: Line) -> None:
    """Prints a text; what does not fit goes on under its first word, and a command on its own line.

    A command that is broken in two cannot be copied.
    """
    for text in name_where(line.__rich__().plain, sys.argv[1:]).split("\n"):
        sentence, leads, command = text.rpartition(LEADS_TO)
        lead = len(text) - len(text.lstrip(" -"))
        apart = len(text) > console.width and leads and "`" not in command
        said = f"{sentence}:" if apart else text
        pieces = wrap(said[lead:], console, console.width - lead) or [""]
        shown = [(" " * lead if at else said[:lead]) + one for at, one in enumerate(pieces)]
        if apart:
            shown.append(" " * (lead + 2) + LEADS_TO.removeprefix(": ") + command)
        for one in shown:
            console.print(Text(one.rstrip(), style=line.style), soft_wrap=True)
