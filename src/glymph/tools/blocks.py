"""Lines and tables, of which a tool or a command renders its result for people.

A rendering is a text, or a sequence of texts, `Line`s, `Table`s and whatever else Rich can print.
It is built without Rich, whose import is slow, and printed with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from glymph.text.controls import remove_controls

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.text import Text

Rendering = str | Iterable[Any]

# Columns under which text beside others is no longer readable.
NARROW = 30
GAP = "  "
INDENT = "    "
LINK = ":"  # in the name of a link in a receipt: source:type:target
HELD = "\ue000"  # in place of a space at which no line ends
_COMMAND = re.compile(r"`[^`\n]+`")


@dataclass(frozen=True, slots=True)
class Line:
    """A text in a style of Rich, such as `bold` or `dim`."""

    text: str
    style: str = ""

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(remove_controls(self.text), style=self.style)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under the names of their columns; a name that ends in `>` is aligned to the right.

    Only the last column wraps, in the space the others leave. Where that is too little to read, its
    text stands under the row: no column ever vanishes. A note, if any, stands under its row.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    notes: Sequence[str | None] = ()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.cells import cell_len
        from rich.text import Text

        if not self.rows:
            return
        width = options.max_width
        head = [name.rstrip(">") for name in self.columns]
        cells = [head, *([format_cell(value) for value in row] for row in self.rows)]
        *widths, last = [max(cell_len(row[at]) for row in cells) for at in range(len(head))]
        left = sum(widths) + len(GAP) * len(widths)
        beside = width - left >= min(last, NARROW)
        for number, row in enumerate(cells):
            start = GAP.join(_align(*cell) for cell in zip(row, widths, self.columns, strict=False))
            room = width - (left if beside else len(INDENT))
            tail = wrap(row[-1], console, room)
            if beside:
                first, *others = tail or [""]
                shown = [start + GAP + first, *(" " * left + other for other in others)]
            else:
                shown = [start, *(INDENT + part for part in tail if number)]
            for text in filter(str.strip, shown):
                yield Text(text.rstrip(), style="" if number else "bold")
            if number and self.notes and self.notes[number - 1]:
                note = format_cell(self.notes[number - 1])
                for part in wrap(note, console, width - len(INDENT)):
                    yield Text(INDENT + part.rstrip(), style="dim")


def wrap(text: str, console: Console, width: int) -> list[str]:
    """Returns a text as lines; a command in it is not broken in two if it fits a line."""
    from rich.text import Text

    def hold(command: re.Match[str]) -> str:
        return command[0].replace(" ", HELD) if len(command[0]) <= width else command[0]

    held = _COMMAND.sub(hold, text)
    return [str(part).replace(HELD, " ") for part in Text(held).wrap(console, width)]


def _align(cell: str, width: int, column: str) -> str:
    from rich.cells import cell_len

    blank = " " * (width - cell_len(cell))
    return blank + cell if column.endswith(">") else cell + blank


def format_cell(value: Any) -> str:
    """Returns a value as one line of text."""
    return remove_controls(" ".join(("" if value is None else str(value)).split()))


def quantity(number: int, one: str, many: str) -> str:
    """Returns a number with its noun: 1 memory, 2 memories."""
    return f"{number:,} {one if number == 1 else many}"


def format_time(iso: str) -> str:
    """Returns a moment as people write it, to the second."""
    return iso[:19].replace("T", " ")


def format_pairs(value: Mapping[str, Any]) -> str:
    """Returns names and values in one line."""
    return ", ".join(f"{key} {part}" for key, part in value.items())


def render_facts(value: Mapping[str, Any]) -> Iterator[Line | Table]:
    """Shows names and values, nested ones in one line; below, a table for each list of mappings."""
    lists = {name: item for name, item in value.items() if _is_list_of_mappings(item)}
    facts = [item for item in value.items() if item[0] not in lists]
    yield Table(["", ""], [[_title(name), _format(name, item)] for name, item in facts])
    for name, items in lists.items():
        yield Line(_title(name), "bold")
        yield _table_of(items)


def _table_of(items: Sequence[Mapping[str, Any]]) -> Table:
    """Mappings as rows; the column of texts is the last, which may wrap."""
    names = list(dict.fromkeys(name for item in items for name in item))
    names.sort(key=lambda name: name == "text")
    figures = {name for name in names if all(_is_figure(item.get(name, 0)) for item in items)}
    columns = [_title(name) + (">" if name in figures else "") for name in names]
    return Table(columns, [[_format(name, item.get(name)) for name in names] for item in items])


def _is_list_of_mappings(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value)


def _is_figure(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _title(name: str) -> str:
    return name.replace("_", " ")


def _format(name: str, value: Any) -> Any:
    """Returns a value as people read it."""
    match value:
        case Mapping():
            return format_pairs(value) or "none"
        case list() | tuple():
            return ", ".join(str(_format("", item)) for item in value) or "none"
        case bool():
            return "yes" if value else "no"
        case float():
            return round(value, 4)
        case str() if value and (name == "at" or name.endswith("_at")):
            return f"{format_time(value)} UTC"
    return value
