"""The logical image of a space: what undo must restore, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np

from glymph.store.contract import JOURNALLED
from glymph.store.store import Store
from glymph.store.view import View

Image = dict[tuple[str, int], dict[str, Any]]


def logical_image(store: Store, space: str) -> Image:
    """Returns every column of every journalled row, and the vectors memories answer with.

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


def mirror_image(view: View) -> dict[int, dict[str, Any]]:
    """Returns what a mirror shows of each memory, whatever numbers words and slots have.

    Two mirrors of one state show the same, however they came to it. Vectors are those of the exact
    scan.
    """
    told = {
        name: dict(zip(codes.values(), codes, strict=True)) for name, codes in view.codes.items()
    }
    told |= {
        "tags": {c: t for t, c in view.tags.items()},
        "entities": {c: t for t, c in view.entities.items()},
    }
    image: dict[int, dict[str, Any]] = {}
    for slot in np.flatnonzero(view["state"] >= 0).tolist():
        row = {name: column[slot].item() for name, column in view.columns.items()}
        row |= {name: codes[row[name]] for name, codes in told.items()}
        if row["embedded"] and view.vectors is not None and view.vectors.matrix is not None:
            row["vector"] = view.vectors.matrix[slot].tobytes()
        image[row.pop("key")] = row
    if view.vectors is not None and view.vectors.matrix is not None:
        image[0] = {
            "centre": None if view.vectors.centre is None else view.vectors.centre.tobytes()
        }
    return image
