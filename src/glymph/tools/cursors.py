"""Cursors of the answers of tools, each of its own tool and space."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from glymph.client import Glymph


def write_cursor(glymph: Glymph, tool: str, place: str) -> str:
    """Returns the cursor of a place in the answer of a tool."""
    with glymph.context.reading() as reader:
        return reader.cursors().write(tool, place.encode())


def read_cursor(glymph: Glymph, tool: str, cursor: str) -> str:
    """Returns the place of a cursor that the same tool has given."""
    with glymph.context.reading() as reader:
        return reader.cursors().read(tool, cursor).decode()
