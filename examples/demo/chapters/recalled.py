"""One recall, with its hits and why each was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page
from examples.demo.hits import describe_hit

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph

QUERY = "Do breakouts on thin volume hold?"
SHOWN = 5


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    recall = glymph.recall(QUERY, limit=SHOWN)
    return {
        "query": QUERY,
        "hits": [
            {
                **describe_hit(hit),
                "lifecycle": str(hit.memory.lifecycle),
                "retrievability": round(hit.memory.retrievability, 4),
            }
            for hit in recall
        ],
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "A recall",
        f"“{facts['query']}” Looking strengthens nothing; only a report of use would.",
    )
    rows = []
    for hit in facts["hits"]:
        parts = " + ".join(f"{name} {value:.2f}" for name, value in hit["parts"].items())
        rows.append(
            [
                f"{hit['score']:.2f}",
                page.stage(hit["lifecycle"]),
                hit["kind"],
                page.text(hit["text"]),
            ]
        )
        rows.append(["", "", "", page.text(f"{hit['why']} ({parts})", "dim")])
    page.table(console, ["score>", "today", "kind", "memory~"], rows)
