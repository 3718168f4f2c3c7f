"""The logical image of a space: what undo must restore, bit for bit."""

from __future__ import annotations

from typing import Any

from glymph.store.contract import JOURNALLED, Store

Image = dict[tuple[str, int], dict[str, Any]]


def logical_image(store: Store, space: str) -> Image:
    """Every column of every journalled row, by table and key, and the vectors the memories answer with.

    Journal and operations only grow: left out. So do vectors of wordings that no memory has now.
    """
    image: Image = {}
    vectors: Image = {}
    for table, row in store.dump(space):
        columns = dict(row)
        if table in JOURNALLED:
            image[table, columns.pop("key")] = columns
        elif table == "vectors":
            vectors[table, columns.pop("key")] = columns
    for place, vector in vectors.items():
        memory = image.get(("memories", vector["memory"]))
        if memory is not None and bytes.fromhex(memory["content_hash"][:16]) == vector["wording"]:
            image[place] = vector
    return image
