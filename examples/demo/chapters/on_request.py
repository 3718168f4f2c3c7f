"""Forgetting on request: a number that somebody wants removed.

Removed everywhere it is written, and provably.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from examples.demo import page

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from examples.demo.play import Played
    from glymph.client import Glymph

TOLD = (
    "The landlord's number is +49 30 5550 1234 and the rent is due on the third.",
    "Call the landlord at +49 (30) 5550-1234 before the lease ends.",
    "The agency's number is +49 30 5550 12345.",
)
REQUEST = "the landlord's number +493055501234"
DONE = {"remove": "goes", "rewrite": "reworded", "ask": "asked about", "refuse": "stays"}
AGAIN = "call the landlord at 0049 30 55501234 before the lease ends"


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    added = [glymph.add(text, kind="fact") for text in TOLD]
    plan = glymph.forget(REQUEST, mode="purge")
    done = glymph.forget(plan, mode="purge", apply=True)
    again = glymph.add(AGAIN, kind="fact")
    certificate = done.certificate
    facts = {
        "told": list(TOLD),
        "request": REQUEST,
        "actions": [
            {"kind": one.kind, "old": one.old, "new": one.new, "why": one.reason}
            for one in plan.actions
        ],
        "reachable": len(done.reachable),
        "places": dict(Counter(place.status for place in certificate.places))
        if certificate
        else {},
        "complete": certificate is not None and certificate.complete,
        "again": {"text": AGAIN, "refused": again.refused},
        "others_kept": glymph.get(str(added[2].id)).text,
    }
    for one in (*added[:1], *added[2:]):
        glymph.delete(str(one.id), reason="the demo clears up")
    return facts


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "Forgetting on request",
        f"Three memories hold phone numbers. “Forget {facts['request']}” for good; the plan, "
        "before anything "
        "happens:",
    )
    rows: list[list[str | Text]] = []
    for one in facts["actions"]:
        rows.append([DONE.get(one["kind"], one["kind"]), page.text(one["old"])])
        if one["new"]:
            rows.append(["", page.text(f"→ {one['new']}", "green")])
    page.table(console, ["", "memory~"], rows)
    console.print()
    places = ", ".join(f"{count} {status}" for status, count in facts["places"].items())
    page.say(
        console,
        f"Done. Asked for again, {facts['reachable']} traces are found. The certificate looked at "
        "every place "
        f"that holds text: {places}.",
    )
    page.say(console, f"Another number of the same beginning stayed: “{facts['others_kept']}”")
    page.say(
        console,
        f"Told once more as “{facts['again']['text']}”, it is refused: "
        f"{facts['again']['refused']}.",
    )
