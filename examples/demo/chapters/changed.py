"""What was true and is no longer: statements that newer ones update, and noise that was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from examples.demo.play import Played
    from glymph.client import Glymph
    from glymph.model import Memory

QUESTION = "Where does Mira live?"
NOISE = ("ok thanks", "hahahaha", "👍👍")
SHOWN = ("fact", "lesson")  # kinds whose updates are listed; views of markets change too often


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    links = glymph.graph().edges
    pairs = [
        (glymph.get(e["target"]), glymph.get(e["source"]))
        for e in links
        if e["type"] == "supersedes"
    ]
    pairs.sort(key=lambda pair: (pair[1].created_at, pair[0].created_at))
    return {
        "updated": [{"was": older.text, "is": newer.text, "kind": older.kind,
                     "at": f"{newer.created_at:%Y-%m-%d}"} for older, newer in pairs],
        "hidden": sum(memory.superseded_by is not None for memory in _everything(glymph)),
        "connected": sum(edge["type"] == "similar_to" for edge in links),
        "questions": len(glymph.questions()),
        "question": QUESTION,
        "found": [{"text": hit.memory.text, "updated": bool(hit.maybe_outdated_by)}
                  for hit in glymph.search(QUESTION, limit=3)],
        "noise": [{"text": text, "refused": glymph.add(text).refused} for text in NOISE],
    }  # fmt: skip


def _everything(glymph: Glymph) -> list[Memory]:
    found: list[Memory] = []
    cursor: str | None = None
    while True:
        listing = glymph.list(limit=1000, cursor=cursor, include_superseded=True)
        found += listing.items
        cursor = listing.cursor
        if cursor is None:
            return found


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "What changed, and what holds now",
        f"{len(facts['updated'])} times a newer statement seemed to say otherwise than an older. "
        f"Where the reader was certain, the older is hidden ({facts['hidden']}); everywhere else "
        "it is found below the newer and says so. "
        f"{facts['connected']} pairs are near each other and linked; {facts['questions']} "
        "questions wait for "
        "somebody to decide. Among facts and lessons:",
    )
    rows: list[list[str | Text]] = []
    for one in (one for one in facts["updated"] if one["kind"] in SHOWN):
        rows.append([one["at"], "was", page.text(one["was"])])
        rows.append(["", "is", page.text(one["is"])])
    page.table(console, ["on", "", "…"], rows)
    console.print()
    page.say(console, f"“{facts['question']}” The newer one comes first:")
    console.print()
    rows = [
        [page.text(hit["text"]), "a newer one updates it" if hit["updated"] else ""]
        for hit in facts["found"]
    ]
    page.table(console, ["found…", ""], rows)
    console.print()
    refused = "; ".join(
        f"“{one['text']}”: {one['refused'] or 'taken in'}" for one in facts["noise"]
    )
    page.say(console, f"Noise is refused and says why. {refused}.")
