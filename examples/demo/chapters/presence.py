"""The most and the least present memories: what use keeps awake and what silence lets fade."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.decay.sections import Section, kind_profile
from glymph.moments import iso

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph

OLD_DAYS = 90
MOST = 6


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    fading = [node for node in glymph.graph().nodes if kind_profile(node["kind"]).decays]
    born_before = iso(played.ended - timedelta(days=OLD_DAYS)) or ""
    old = [node for node in fading if node["created_at"] < born_before]
    most = sorted(old, key=lambda node: -node["retrievability"])[:MOST]
    least = [
        min(homed, key=lambda node: node["retrievability"])
        for section in Section
        if (homed := [node for node in fading if node["section"] == section])
    ]
    return {"older_than_days": OLD_DAYS, "most": _describe(most), "least": _describe(least)}


def _describe(nodes: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    names = (
        "id",
        "kind",
        "section",
        "title",
        "lifecycle",
        "access_count",
        "created_at",
        "last_used_at",
    )
    return [
        {**{name: node[name] for name in names}, "retrievability": round(node["retrievability"], 4)}
        for node in nodes
    ]


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "What use keeps, and what silence lets go",
        f"Of the memories older than {facts['older_than_days']} days, these are the most present "
        "(R is the "
        "chance that one is still to hand). Reported use keeps them so; looking alone changes "
        "nothing.",
    )
    _rows(console, facts["most"])
    console.print()
    page.say(console, "And the least present of each section:")
    console.print()
    _rows(console, facts["least"])


def _rows(console: Console, memories: Iterable[Mapping[str, Any]]) -> None:
    rows = [
        [
            f"{m['retrievability']:.3f}",
            page.stage(m["lifecycle"]),
            str(m["access_count"]),
            (m["last_used_at"] or "never")[:10],
            m["kind"],
            page.text(m["title"]),
        ]
        for m in memories
    ]
    page.table(console, ["R>", "today", "uses>", "last used", "kind", "memory…"], rows)
