"""The picture of a year: live memories by day, and how long memories of each kind stay live."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.harness.picture import COLOURS, FAINT, FONT, INK, PAPER

WIDTH, HEIGHT = 860, 400
TOP, PLOT_HEIGHT, PLOT_WIDTH = 88, 240, 310
LEFTS = (62, 442)
ROOM = 14  # between names at the ends of lines
MORE = (*COLOURS, "#7a4ea0", "#b8860b", "#2b8a8a", "#a03060", "#555555", "#6b8e23")

Line = Mapping[float, float]


def year(live: Mapping[str, Line], survival: Mapping[str, Line], most: float) -> str:
    """Both panels of the year.

    Counts by day, the first line on top; shares in per cent by age in days on a log axis.
    """
    title = "A simulated year: what lives in the memory, and for how long"
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{WIDTH}' height='{HEIGHT}' role='img' {FONT} "
        f"viewBox='0 0 {WIDTH} {HEIGHT}'>",
        f"<title>{title}</title>",
        f"<rect width='{WIDTH}' height='{HEIGHT}' fill='{PAPER}'/>",
        _text(LEFTS[0], 32, title, size=17, bold=True),
        *_live(live, most),
        *_survival(survival),
    ]
    return "\n".join([*parts, "</svg>", ""])


def _live(lines: Mapping[str, Line], most: float) -> Iterator[str]:
    left, step = LEFTS[0], _step(most)
    top = step * (int(most / step) + 1)
    yield _text(left, TOP - 22, "live memories", size=14, bold=True)
    for value in range(0, int(top) + 1, int(step)):
        yield from _grid(left, _y(value / top), f"{value:,}")
    for day in range(0, 361, 60):
        yield _text(
            left + PLOT_WIDTH * day / 365, TOP + PLOT_HEIGHT + 18, str(day), anchor="middle"
        )
    yield _text(left + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 42, "day of the year", anchor="middle")
    for number, (name, line) in enumerate(lines.items()):
        points = [
            (left + PLOT_WIDTH * day / 365, _y(value / top)) for day, value in sorted(line.items())
        ]
        yield _line(points, COLOURS[number], 3 if number == 0 else 2)
        off = (
            22 if number == len(lines) - 1 else -9
        )  # the lowest is named below, where no other line runs
        yield _text(
            points[-1][0] - 4, points[-1][1] + off, name, anchor="end", colour=COLOURS[number]
        )


def _survival(lines: Mapping[str, Line]) -> Iterator[str]:
    left = LEFTS[1]
    ages = sorted({age for line in lines.values() for age in line})
    places = {
        age: left + PLOT_WIDTH * number / max(len(ages) - 1, 1) for number, age in enumerate(ages)
    }
    yield _text(left, TOP - 22, "still live after so many days, %", size=14, bold=True)
    for value in range(0, 101, 20):
        yield from _grid(left, _y(value / 100), str(value))
    for age, at in places.items():
        yield _text(at, TOP + PLOT_HEIGHT + 18, f"{age:g}", anchor="middle")
    yield _text(left + PLOT_WIDTH / 2, TOP + PLOT_HEIGHT + 42, "age in days", anchor="middle")
    ends: list[tuple[float, str, str]] = []
    for number, (name, line) in enumerate(lines.items()):
        colour = MORE[number % len(MORE)]
        points = [(places[age], _y(value / 100)) for age, value in sorted(line.items())]
        yield _line(points, colour, 2)
        ends.append((points[-1][1], name, colour))
    for at, (_, name, colour) in zip(
        _spread([end[0] for end in sorted(ends)]), sorted(ends), strict=True
    ):
        yield _text(left + PLOT_WIDTH + 7, at + 4, name, size=11, colour=colour)


def _spread(heights: Sequence[float]) -> list[float]:
    """The heights, moved up so far that names at them do not lie upon each other."""
    found: list[float] = []
    below = float("inf")
    for height in reversed(heights):
        below = min(height, below - ROOM)
        found.append(below)
    return found[::-1]


def _step(most: float) -> int:
    return next(
        step for step in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10**6) if most / step <= 7
    )


def _y(share: float) -> float:
    return TOP + PLOT_HEIGHT * (1 - share)


def _grid(left: float, y: float, name: str) -> Iterator[str]:
    colour = INK if y >= TOP + PLOT_HEIGHT else FAINT
    yield f"<path d='M{left} {y:.1f}h{PLOT_WIDTH}' stroke='{colour}'/>"
    yield _text(left - 7, y + 4, name, anchor="end")


def _line(points: Sequence[tuple[float, float]], colour: str, width: float) -> str:
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f"<polyline points='{drawn}' fill='none' stroke='{colour}' stroke-width='{width}'/>"


def _text(
    x: float,
    y: float,
    text: str,
    *,
    size: int = 12,
    bold: bool = False,
    anchor: str = "start",
    colour: str = INK,
) -> str:
    weight = " font-weight='bold'" if bold else ""
    return (
        f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}'{weight} text-anchor='{anchor}' fill='{colour}'>"
        f"{text}</text>"
    )
