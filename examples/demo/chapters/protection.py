"""What cannot be forgotten, shown by trying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    identity = next(space.identity_id for space in glymph.spaces() if space.name == glymph.space)
    pinned = [memory.id for memory in glymph.list(limit=1000, kinds=["playbook"]) if memory.pinned]
    tries = [_try(glymph, "delete", identity)]
    tries += [_try(glymph, "archive", memory_id) for memory_id in pinned[:1]]
    return {"tries": tries}


def _try(glymph: Glymph, verb: str, memory_id: str) -> dict[str, Any]:
    attempt = glymph.delete if verb == "delete" else glymph.archive
    receipt = attempt(memory_id, reason="the demo tries it")
    memory = glymph.get(memory_id)
    return {
        "verb": verb,
        "id": memory_id,
        "kind": memory.kind,
        "title": memory.title,
        "done": memory_id in receipt.succeeded,
        "answer": "; ".join(refusal.reason for refusal in receipt.skipped) or "done",
        "state": str(memory.state),
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "What cannot be forgotten",
        "Each space has one identity memory that nothing removes; a pinned memory stays until it "
        "is unpinned.",
    )
    rows = [
        [
            tried["verb"],
            tried["kind"],
            page.text(tried["title"]),
            "done" if tried["done"] else f"refused: {tried['answer']}",
            tried["state"],
        ]
        for tried in facts["tries"]
    ]
    page.table(console, ["tried", "kind", "memory…", "answer", "state"], rows)
