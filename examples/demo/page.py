"""Headings, sentences and tables of the report, no wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

INDENT = (0, 0, 0, 2)
GAP = 2  # cells between two columns
STYLES = {"ACTIVE": "green", "WEAK": "yellow", "DORMANT": "dim"}
_BAR = {"ACTIVE": "█", "WEAK": "▓", "DORMANT": "░"}


def print_heading(console: Console, title: str, *sentences: str) -> None:
    """A chapter's title with what there is to say about it."""
    from rich.text import Text

    console.print()
    console.print(Text(title, style="bold cyan"))
    for sentence in sentences:
        say(console, sentence)
    console.print()


def say(console: Console, sentence: str, style: str = "") -> None:
    from rich.padding import Padding
    from rich.text import Text

    console.print(Padding(Text(sentence, style=style), INDENT, expand=False))


def table(console: Console, columns: Sequence[str], rows: Iterable[Sequence[str | Text]]) -> None:
    """A table without lines, no wider than the console.

    A name ending in `>` sets its column to the right. One column may give way: `…` lets it be cut,
    `~` wrap.
    """
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    cells = [[cell if isinstance(cell, Text) else Text(cell) for cell in row] for row in rows]
    titles = [name.rstrip(">…~") for name in columns]
    widths = [
        max([len(title), *(row[i].cell_len for row in cells)]) for i, title in enumerate(titles)
    ]
    room = console.width - INDENT[3] - GAP * (len(columns) - 1)
    for i, name in enumerate(columns):
        if name.endswith(("…", "~")):
            widths[i] = max(8, min(widths[i], room - sum(widths) + widths[i]))
    grid = Table(box=None, header_style="bold", pad_edge=False, padding=(0, GAP, 0, 0))
    for name, title, width in zip(columns, titles, widths, strict=True):
        side: Literal["left", "right"] = "right" if name.endswith(">") else "left"
        grid.add_column(
            title, justify=side, no_wrap=not name.endswith("~"), overflow="ellipsis", width=width
        )
    for row in cells:
        grid.add_row(*row)
    console.print(Padding(grid, INDENT, expand=False))


def stage(lifecycle: str) -> Text:
    """A lifecycle in its colour."""
    from rich.text import Text

    return Text(lifecycle, style=STYLES.get(lifecycle, ""))


def text(words: str, style: str = "") -> Text:
    """Words shown as they are, whatever brackets they hold."""
    from rich.text import Text

    return Text(words, style=style)


def bar(counts: Mapping[str, int], width: int) -> Text:
    """The shares of ACTIVE, WEAK and DORMANT side by side.

    Whatever is there gets at least one cell.
    """
    from rich.text import Text

    total = sum(counts.values())
    cells = {name: max(1, round(width * n / total)) if n else 0 for name, n in counts.items()}
    widest = max(cells, key=lambda name: cells[name])
    cells[widest] += width - sum(cells.values())
    line = Text()
    for name, n in cells.items():
        line.append(_BAR[name] * n, style=STYLES[name])
    return line


def count(n: int, one: str, many: str | None = None) -> str:
    """A number with its word: 1 memory, 1,234 memories."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
