"""A forgetting and its way back: archived, not found, undone, and everything is as it was."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.model import State
from glymph.plain import plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from examples.demo.play import Played
    from glymph.client import Glymph

QUERY = "DOT parachain auction"
HANDFUL = 5


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    before = fingerprint(glymph)
    found = _find(glymph)
    done = glymph.archive([hit["id"] for hit in found], reason="DOT is not traded any more")
    during = fingerprint(glymph)
    left = _find(glymph)
    undone = glymph.undo(done.operation_id, reason="the demo takes it back")
    after = fingerprint(glymph)
    again = _find(glymph)
    gone = set(done.succeeded)
    return {
        "query": QUERY,
        "found": found,
        "archived": len(done.succeeded),
        "operation": done.operation_id,
        "found_while_archived": sum(hit["id"] in gone for hit in left),
        "restored": len(undone.succeeded),
        "same_hits": again == found,
        "fingerprints": {"before": before, "archived": during, "undone": after},
        "identical": before == after,
    }


def _find(glymph: Glymph) -> list[dict[str, Any]]:
    hits = glymph.search(QUERY, limit=HANDFUL)
    return [
        {
            "id": h.memory.id,
            "kind": h.memory.kind,
            "title": h.memory.title,
            "score": round(h.score, 6),
        }
        for h in hits
    ]


def fingerprint(glymph: Glymph) -> str:
    """Returns a hash over every field of every memory in every state, and over every link."""
    digest = hashlib.sha256()
    cursor: str | None = None
    while True:
        listing = glymph.list(
            limit=1000, cursor=cursor, states=list(State), include_superseded=True
        )
        digest.update(json.dumps(plain(listing.items), sort_keys=True).encode())
        cursor = listing.cursor
        if cursor is None:
            break
    links = sorted(glymph.graph().edges, key=lambda edge: edge["id"])
    digest.update(json.dumps(plain(links), sort_keys=True).encode())
    return digest.hexdigest()


def show(console: Console, facts: dict[str, Any]) -> None:
    prints = {name: f"{value[:14]}…" for name, value in facts["fingerprints"].items()}
    page.print_heading(
        console,
        "A forgetting, and the way back",
        f"Nobody has asked about DOT since February. A search for “{facts['query']}” still finds "
        "these, "
        "so they are archived:",
    )
    page.table(
        console, ["kind", "memory…"], [[h["kind"], page.text(h["title"])] for h in facts["found"]]
    )
    console.print()
    found, archived = len(facts["found"]), facts["archived"]
    kept = facts["found_while_archived"]
    same = "the same hits, order and scores" if facts["same_hits"] else "other hits than before"
    verdict = (
        page.text("identical", "green")
        if facts["identical"]
        else page.text("DIFFERENT", "bold red")
    )
    rows: list[list[str | Text]] = [
        ["before", f"search shows {found} of these {found}", prints["before"], ""],
        [f"{archived} archived", f"search shows {kept} of these {found}", prints["archived"], ""],
        ["undone", same, prints["undone"], verdict],
    ]
    page.table(console, ["", "", "everything, hashed", ""], rows)
