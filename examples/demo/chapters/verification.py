"""What `verify` says about the store."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.plain import plain

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    started = perf_counter()
    verdict = glymph.verify()
    return {
        "ok": verdict.ok,
        "checks": list(verdict.checks),
        "problems": plain(verdict.problems),
        "seconds": round(perf_counter() - started, 3),
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    outcome = (
        "no problem found"
        if facts["ok"]
        else page.count(len(facts["problems"]), "problem") + " found"
    )
    page.print_heading(
        console,
        "Is the store sound?",
        f"verify() checked all of it in {facts['seconds']:.2f} s: {outcome}.",
    )
    for check in facts["checks"]:
        page.say(console, f"{'✓' if facts['ok'] else '·'} {check}", "green" if facts["ok"] else "")
    for problem in facts["problems"]:
        page.say(console, f"{problem['check']}: {problem['detail']}", "bold red")
