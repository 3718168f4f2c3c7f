"""Draws the pictures of docs/drawings: the life of a memory, and how memories fade.

python -m docs.drawings            writes them
The curves are drawn by the functions that Glymph fades memories with.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

from glymph.decay.fsrs import retrievability
from glymph.decay.sections import SECTIONS

HERE = Path(__file__).parent / "drawings"
FONT = "font-family='system-ui, Helvetica, Arial, sans-serif'"
# Colours that can be read on a light and on a dark page; the pictures have no paper of their own.
BLUE, GREEN, GREY, RED, LINE = "#3f6fd1", "#2f8f5b", "#77828f", "#c2503a", "#8b95a5"
COLOURS = {"SIGNALS": RED, "EPISODIC": "#c98a1b", "KNOWLEDGE": BLUE, "PROCEDURAL": GREEN}
DAYS = 120


def draw_life() -> str:
    """States as boxes, and the calls that lead from one to another as arrows."""
    boxes = [
        _box(20, 100, "add", "stored, journalled", GREY),
        _box(225, 100, "LIVE", "found by recall", GREEN),
        _box(500, 20, "superseded", "kept behind the newer", BLUE),
        _box(500, 100, "ARCHIVED", "kept, out of recall", BLUE),
        _box(500, 180, "TRASHED", "30 days", "#b0761a"),
        _box(740, 180, "gone", "certificate, tombstone", RED),
    ]
    arrows = [
        _arrow(160, 128, 225, 128),
        _arrow(365, 112, 500, 50), _label(346, 62, "a newer statement"),
        _arrow(365, 124, 500, 124), _label(400, 116, "archive, prune"),
        _arrow(500, 140, 365, 140), _label(400, 156, "undo, restore"),
        _arrow(365, 150, 500, 202), _label(408, 212, "delete, forget"),
        _arrow(640, 208, 740, 208), _label(664, 200, "purge"),
    ]  # fmt: skip
    lives = [
        _text(295, 204, "ACTIVE → WEAK → DORMANT", GREY, 11, "bold"),
        _text(295, 221, "computed when asked,", GREY, 12),
        _text(295, 237, "never stored", GREY, 12),
        f"<path d='M295 158v30' stroke='{LINE}' stroke-dasharray='3 3'/>",
    ]
    return _picture(900, 256, "The life of a memory", [*boxes, *arrows, *lives])


def draw_curves() -> str:
    """Retrievability by days without use, a line for each section."""
    left, top, width, height = 52, 20, 600, 240

    def across(day: float) -> float:
        return left + width * day / DAYS

    def down(value: float) -> float:
        return top + height * (1 - (value - 0.4) / 0.6)

    parts = []
    for value, name in ((1.0, "1.0"), (0.9, "0.9"), (0.8, "0.8"), (0.6, "0.6"), (0.4, "0.4")):
        dashed = " stroke-dasharray='4 4'" if value in (0.9, 0.8) else ""
        parts.append(f"<path d='M{left} {down(value):.1f}h{width}' stroke='{LINE}'{dashed}/>")
        parts.append(_text(left - 22, down(value) + 4, name, GREY, 12))
    for value, name in ((0.95, "ACTIVE"), (0.85, "WEAK"), (0.5, "DORMANT")):
        parts.append(_text(left + width - 34, down(value) + 4, name, GREY, 11))
    under = top + height + 20
    parts += [_text(across(day), under, f"{day} days", GREY, 12) for day in range(0, DAYS + 1, 30)]
    for number, (section, profile) in enumerate(SECTIONS.items()):
        colour = COLOURS[section]
        steps = [step / 2 for step in range(DAYS * 2 + 1)]
        values = [float(retrievability(day, profile.stability, profile.decay)) for day in steps]
        points = [point for point in zip(steps, values, strict=True) if point[1] >= 0.4]
        drawn = [f"{across(day):.1f},{down(value):.1f}" for day, value in points]
        line = f"fill='none' stroke='{colour}' stroke-width='2.5'"
        parts.append(f"<polyline points='{' '.join(drawn)}' {line}/>")
        x, y = left + width + 24, top + 24 + 30 * number
        parts.append(f"<path d='M{x} {y}h26' stroke='{colour}' stroke-width='3'/>")
        parts.append(_text(x + 34, y + 4, section.value, colour, 12, "bold", "start"))
    return _picture(820, 300, "How memories fade without use", parts)


def _box(x: float, y: float, name: str, note: str, colour: str) -> str:
    return "\n".join([
        f"<rect x='{x}' y='{y}' width='140' height='56' rx='8' fill='{colour}'/>",
        _text(x + 70, y + 24, name, "#ffffff", 14, "bold"),
        _text(x + 70, y + 43, note, "#ffffff", 11),
    ])  # fmt: skip


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    return (
        f"<path d='M{x} {y}L{to_x} {to_y}' stroke='{LINE}' stroke-width='1.8' fill='none' "
        "marker-end='url(#head)'/>"
    )


def _label(x: float, y: float, text: str) -> str:
    return _text(x, y, text, GREY, 11, anchor="start")


def _text(
    x: float, y: float, text: str, colour: str, size: int, weight: str = "normal",
    anchor: str = "middle",
) -> str:  # fmt: skip
    return (
        f"<text x='{x:.0f}' y='{y:.0f}' font-size='{size}' font-weight='{weight}' fill='{colour}' "
        f"text-anchor='{anchor}'>{escape(text)}</text>"
    )


def _picture(width: int, height: int, title: str, parts: list[str]) -> str:
    head = (
        "<defs><marker id='head' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
        f"markerHeight='7' orient='auto'><path d='M0 0L8 4L0 8z' fill='{LINE}'/></marker></defs>"
    )
    opening = (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' "
        f"viewBox='0 0 {width} {height}' role='img' {FONT}>"
    )
    return "\n".join([opening, f"<title>{escape(title)}</title>", head, *parts, "</svg>", ""])


def draw_all() -> Iterator[tuple[Path, str]]:
    """Yields every picture with its place."""
    yield HERE / "life.svg", draw_life()
    yield HERE / "curves.svg", draw_curves()


def main() -> int:
    HERE.mkdir(exist_ok=True)
    for path, text in draw_all():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
