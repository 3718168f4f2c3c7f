"""The demo's report: chapters in order, as plain data and on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page
from examples.demo.chapters import (
    Chapter,
    asleep,
    changed,
    conversation,
    finding,
    forgetting,
    learnt,
    lifecycle,
    loaded,
    log,
    moved,
    on_request,
    presence,
    protection,
    pruning,
    recalled,
    verification,
)
from glymph.moments import iso

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph

CHAPTERS: dict[str, Chapter] = {
    "loaded": loaded,
    "lifecycle": lifecycle,
    "presence": presence,
    "recalled": recalled,
    "finding": finding,
    "changed": changed,
    "forgetting": forgetting,
    "protection": protection,
    "pruning": pruning,
    "on_request": on_request,
    "asleep": asleep,
    "conversation": conversation,
    "learnt": learnt,
    "log": log,
    "moved": moved,
    "verification": verification,
}


def facts(glymph: Glymph, played: Played) -> dict[str, Any]:
    """Returns the report as JSON-able data, a key per chapter; chapters undo what they change."""
    head = {"space": glymph.space, "now": iso(played.ended)}
    return {**head, **{name: chapter.gather(glymph, played) for name, chapter in CHAPTERS.items()}}


def show(console: Console, facts: dict[str, Any]) -> None:
    """The report for people."""
    console.print()
    console.print("[bold]Glymph[/bold]: half a year of one trading agent, remembered")
    page.say(
        console, f"Everything in it is invented. Today, in the demo, is {facts['now'][:10]}.", "dim"
    )
    for name, chapter in CHAPTERS.items():
        chapter.show(console, facts[name])
