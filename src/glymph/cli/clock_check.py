"""What `glymph doctor` says of moments that a wrong clock dated ahead, and how it repairs them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from glymph.tools.blocks import Line
from glymph.write import clocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from glymph.client import Glymph


def check_clock(glymph: Glymph, *, repair: bool) -> dict[str, Any] | None:
    """Returns what lies ahead of the clock in a space; None if nothing does.

    With `repair` it is dated anew, and the answer names the operation, which can be undone.
    """
    found = clocks.find_ahead(glymph.context)
    if not found:
        return None
    told: dict[str, Any] = {"detail": found.describe(), "repaired": repair, "operation": None}
    if repair:
        receipt = clocks.date_anew(glymph.context)
        told["operation"] = None if receipt is None else receipt.operation_id
    return told


def render_clock(found: Mapping[str, Mapping[str, Any]]) -> Iterator[Line]:
    """Yields a line for each space in which something lies ahead of the clock."""
    for space, told in found.items():
        if not told["repaired"]:
            yield Line(f"WRONG    clock: space {space}: {told['detail']}", "bold red")
            continue
        way = f"; undo {told['operation']} takes it back" if told["operation"] else ""
        yield Line(f"repaired clock: space {space}: what was {told['detail']}{way}")
