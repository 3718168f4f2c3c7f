"""Figures as a table for people and as one line of JSON for machines."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.harness.contract import Benchmark, Fact, Figure, Figures


def circumstances(seed: int) -> dict[str, str | int | None]:
    """What a figure depends on besides the code: commit, interpreter, machine, seed."""
    return {
        "commit": _commit(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "seed": seed,
    }


def _commit() -> str | None:
    """The checkout's commit; None outside a checkout or without git."""
    try:
        asked = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return None
    return asked.stdout.strip() or None


def flat(figures: Figures, *, prefix: str = "") -> dict[str, float | str]:
    """The bare values by name, in the order the benchmark gave them."""
    return {
        f"{prefix}{name}": figure.value if isinstance(figure, Fact) else _rounded(figure.value)
        for name, figure in figures.items()
    }


def _rounded(value: float) -> float:
    """Six significant digits: more would be noise, and counts stay whole."""
    return value if isinstance(value, int) else float(f"{value:.6g}")


def show(
    console: Console, benchmark: Benchmark, figures: Figures, spent: Mapping[str, float]
) -> None:
    """Prints the figures with their targets and limits."""
    cost = ", ".join(f"{name} {value:.1f}" for name, value in spent.items())
    table = Table(
        title=f"{benchmark.name}: {benchmark.question}", caption=cost, title_justify="left"
    )
    table.add_column("figure")
    table.add_column("value", justify="right")
    table.add_column("target", justify="right")
    table.add_column("limit", justify="right")
    table.add_column("meaning")
    for name, figure in figures.items():
        if isinstance(figure, Fact):
            table.add_row(name, figure.value, "", "", figure.meaning)
            continue
        colour = {True: "green", False: "bold red", None: "default"}[figure.met]
        limit = "" if figure.limit is None else _number(figure.limit)
        table.add_row(
            name, f"[{colour}]{_number(figure.value)}[/]", _target(figure), limit, figure.meaning
        )
    console.print(table)


def _target(figure: Figure) -> str:
    for sign, bound in (("=", figure.exactly), ("≥", figure.at_least), ("≤", figure.at_most)):
        if bound is not None:
            return f"{sign} {_number(bound)}"
    return ""


def _number(value: float) -> str:
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
