"""The last rows of the operation log: who did what and why, and what was taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from examples.demo import page
from glymph.moments import iso

if TYPE_CHECKING:
    from rich.console import Console

    from examples.demo.play import Played
    from glymph.client import Glymph

ROWS = 9


def gather(glymph: Glymph, played: Played) -> dict[str, Any]:
    return {
        "operations": glymph.health().operations,
        "last": [
            {
                "id": operation.id,
                "at": iso(operation.at),
                "actor": operation.actor,
                "verb": operation.verb,
                "changes": operation.changes,
                "reason": operation.reason,
                "undone": operation.undone_by is not None,
            }
            for operation in glymph.operations(limit=ROWS)
        ],
    }


def show(console: Console, facts: dict[str, Any]) -> None:
    page.print_heading(
        console,
        "The operation log",
        f"{facts['operations']:,} operations so far, each journalled in the same transaction as "
        "its change. "
        "The newest:",
    )
    rows = [
        [
            operation["at"][:16].replace("T", " "),
            operation["actor"],
            operation["verb"],
            f"{operation['changes']:,}",
            "undone" if operation["undone"] else "",
            page.text(operation["reason"] or ""),
        ]
        for operation in facts["last"]
    ]
    page.table(console, ["when (UTC)", "actor", "verb", "rows>", "", "why…"], rows)
