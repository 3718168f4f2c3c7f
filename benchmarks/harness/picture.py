"""Line charts as SVG, written by hand.

They are small, need no library, and are readable in a browser and on GitHub.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 800, 420
PANEL_WIDTH, PANEL_HEIGHT = 318, 240
LEFT, TOP, GAP = 64, 120, 72
INSET = 18  # of the first and last point from the ends of the axis
LEGEND = 170  # from one entry to the next
STEP = 20  # between the lines of the grid
COLOURS = ("#1f4e9c", "#c44e2b", "#3d8a4f", "#8a8a8a")
INK, FAINT, PAPER = "#222222", "#dddddd", "#ffffff"
FONT = "font-family='Helvetica, Arial, sans-serif'"


@dataclass(frozen=True, slots=True)
class Panel:
    """One set of axes: values in per cent by a share in per cent, a line for each name."""

    title: str
    lines: Mapping[str, Mapping[int, float]]


def curves(title: str, across: str, upward: str, panels: Sequence[Panel]) -> str:
    """The panels side by side under one title and one legend."""
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' role='img' {FONT} "
        f"viewBox='0 0 {WIDTH} {HEIGHT}'>",
        f"<title>{escape(title)}</title>",
        f"<rect width='{WIDTH}' height='{HEIGHT}' fill='{PAPER}'/>",
        _text(LEFT, 30, title, size=17, weight="bold"),
        *_legend(list(panels[0].lines)),
    ]
    for number, panel in enumerate(panels):
        left = LEFT + number * (PANEL_WIDTH + GAP)
        parts += _panel(left, panel)
        parts.append(
            _text(left + PANEL_WIDTH / 2, TOP + PANEL_HEIGHT + 44, across, anchor="middle")
        )
        turned = f"translate({left - 38} {TOP + PANEL_HEIGHT / 2}) rotate(-90)"
        parts.append(_text(0, 0, upward, anchor="middle", move=turned))
    return "\n".join([*parts, "</svg>", ""])


def _panel(left: float, panel: Panel) -> Iterator[str]:
    shares = sorted({share for line in panel.lines.values() for share in line})
    first, last = shares[0], shares[-1]

    def x(share: float) -> float:
        return left + INSET + (PANEL_WIDTH - 2 * INSET) * (share - first) / max(last - first, 1)

    def y(value: float) -> float:
        return TOP + PANEL_HEIGHT * (1 - value / 100)

    yield _text(left, TOP - 26, panel.title, size=14, weight="bold")
    for value in range(0, 101, STEP):
        colour = INK if value == 0 else FAINT
        yield f"<path d='M{left} {y(value):.1f}h{PANEL_WIDTH}' stroke='{colour}'/>"
        yield _text(left - 7, y(value) + 4, str(value), anchor="end")
    for share in shares:
        yield _text(x(share), TOP + PANEL_HEIGHT + 18, str(share), anchor="middle")
    # The first line is the one that matters: drawn last, above the others, thicker and with its
    # values.
    for number, drawn in reversed(list(enumerate(panel.lines.values()))):
        colour, width = COLOURS[number % len(COLOURS)], 2 + (number == 0)
        points = " ".join(
            f"{x(share):.1f},{y(value):.1f}" for share, value in sorted(drawn.items())
        )
        yield f"<polyline points='{points}' fill='none' stroke='{colour}' stroke-width='{width}'/>"
        for share, kept in sorted(drawn.items()):
            yield f"<circle cx='{x(share):.1f}' cy='{y(kept):.1f}' r='{width}' fill='{colour}'/>"
            if number == 0:
                yield _text(
                    x(share),
                    y(kept) - 9,
                    f"{kept:.0f}",
                    weight="bold",
                    anchor="middle",
                    colour=colour,
                )


def _legend(names: Sequence[str]) -> Iterator[str]:
    for number, name in enumerate(names):
        left = LEFT + number * LEGEND
        colour, width = COLOURS[number % len(COLOURS)], 2 + (number == 0)
        yield f"<path d='M{left} 56h24' stroke='{colour}' stroke-width='{width}'/>"
        yield _text(left + 30, 60, name)


def _text(
    x: float, y: float, text: str, *, size: int = 12, weight: str = "normal", anchor: str = "start",
    colour: str = INK, move: str = "",
) -> str:  # fmt: skip
    moved = f" transform='{move}'" if move else ""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' font-weight='{weight}' text-anchor='{anchor}' "
        f"fill='{colour}'{moved}>{escape(text)}</text>"
    )
