"""The logical image of a space: what undo must restore, bit for bit."""

from __future__ import annotations

from typing import Any

from glymph.store.contract import JOURNALLED, Store

Image = dict[tuple[str, int], dict[str, Any]]


def logical_image(store: Store, space: str) -> Image:
    """Every column of every journalled row, by table and key. Journal and operations only grow: left out."""
    image: Image = {}
    for table, row in store.dump(space):
        if table in JOURNALLED:
            columns = dict(row)
            image[table, columns.pop("key")] = columns
    return image
