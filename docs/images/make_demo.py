"""Draws docs/images/demo.svg: some chapters of `glymph demo`, as they happen on this machine.

python docs/images/make_demo.py      wants the reader and the local embedder (`make install`)
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from glymph.cli import demo_page, demo_play

PICTURE = Path(__file__).with_name("demo.svg")
CHAPTERS = ("move", "doubt", "forget", "prune", "learn")
# A window of its own, so that it is as readable on a dark page as on a light one.
THEME = TerminalTheme(
    background=(24, 28, 36),
    foreground=(222, 226, 232),
    normal=[(60, 66, 78), (224, 108, 117), (152, 195, 121), (229, 192, 123),
            (97, 175, 239), (198, 120, 221), (110, 190, 200), (222, 226, 232)],
)  # fmt: skip
FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"


def draw() -> str:
    """Plays the demo and returns the picture."""
    console = Console(record=True, width=demo_page.WIDTH, file=io.StringIO())
    console.print(Text("$ glymph demo", style="bold"))
    for name, facts in demo_play.play(None):
        if name in CHAPTERS:
            for line in demo_page.tell(name, facts):
                console.print(line, highlight=False)
    svg = console.export_svg(title="glymph demo", theme=THEME, unique_id="demo")
    svg = re.sub(r"@font-face \{.*?\n    \}\n", "", svg, flags=re.S)  # no picture fetches a font
    svg = svg.replace("Fira Code, monospace", FONT)
    return re.sub(r"[ \t]+$", "", svg, flags=re.M)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    sys.stdout.write(f"{PICTURE}\n")
