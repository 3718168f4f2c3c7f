"""What was true and is no longer: statements that newer ones replaced, and noise that was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from glymph.interfaces.demo import page

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from glymph.core.model import Memory
    from glymph.facade import Glymph
    from glymph.interfaces.demo.play import Played

QUESTION = "Where does Mira live?"
NOISE = ("ok thanks", "hahahaha", "👍👍")


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    replaced = [memory for memory in _everything(glymph) if memory.superseded_by is not None]
    current = {memory.id: glymph.get(memory.superseded_by) for memory in replaced if memory.superseded_by}
    links = [edge["type"] for edge in glymph.graph().edges]
    return {
        "replaced": [{"was": m.text, "is": current[m.id].text, "at": f"{current[m.id].created_at:%Y-%m-%d}"}
                     for m in sorted(replaced, key=lambda m: current[m.id].created_at)],
        "updated_in_part": links.count("supersedes"),
        "connected": links.count("similar_to"),
        "conflicts": len(glymph.conflicts()),
        "question": QUESTION,
        "found": _texts(glymph, include_superseded=False),
        "with_superseded": _texts(glymph, include_superseded=True),
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


def _texts(glymph: Glymph, *, include_superseded: bool) -> list[dict[str, Any]]:
    hits = glymph.search(QUESTION, limit=3, include_superseded=include_superseded)
    return [{"text": hit.memory.text, "superseded": hit.memory.superseded_by is not None} for hit in hits]


def show(console: Console, facts: dict[str, Any]) -> None:
    page.heading(
        console,
        "What changed, and what holds now",
        f"{len(facts['replaced'])} statements were replaced when a newer one said otherwise: kept, chained, and "
        f"out of recall. {facts['updated_in_part']} say more than what changed and stay, below the newer one; "
        f"{facts['connected']} pairs are near each other and linked; {facts['conflicts']} questions wait for "
        "somebody to decide.",
    )
    rows: list[list[str | Text]] = []
    for one in facts["replaced"]:
        rows.append([one["at"], "was", page.text(one["was"])])
        rows.append(["", "is", page.text(one["is"])])
    page.table(console, ["on", "", "…"], rows)
    console.print()
    page.say(console, f"“{facts['question']}” Asked plainly, and with what was replaced:")
    console.print()
    rows = [["plainly" if not at else "", page.text(hit["text"]), ""] for at, hit in enumerate(facts["found"])]
    rows += [
        ["and replaced" if not at else "", page.text(hit["text"]), "replaced" if hit["superseded"] else ""]
        for at, hit in enumerate(facts["with_superseded"])
    ]
    page.table(console, ["searched", "found…", ""], rows)
    console.print()
    refused = "; ".join(f"“{one['text']}”: {one['refused'] or 'taken in'}" for one in facts["noise"])
    page.say(console, f"Noise is refused and says why. {refused}.")
