"""What a store says about its memories, links and recalls, reduced to what a writer can foretell.

Memories are known by their titles and recalls by their queries, because ids are born inside the
call: so the image after a call can be written down before it is made.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from glymph.config import Settings
from glymph.store import open_store

SPACE = "default"

Key = tuple[str, ...]  # ("memory", title), ("link", title, title) or ("recall", query)


class Standing(NamedTuple):
    """The part of a memory that the writes of a benchmark change."""

    state: str
    text: str
    pinned: bool
    uses: int


Value = (
    Standing | frozenset[str]
)  # a recall's value are the titles reported as used; a link's is empty
Changes = Mapping[Key, Value | None]  # None: it is not there

LINKED: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Image:
    """What is there, the id behind each title, and every operation that was recorded."""

    values: dict[Key, Value] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)
    operations: frozenset[str] = frozenset()


def read(url: str) -> Image:
    """The image of the whole default space, from one snapshot."""
    store = open_store(url, Settings())
    values: dict[Key, Value] = {}
    titles: dict[int, str] = {}
    names: dict[str, str] = {}
    operations: set[str] = set()
    try:
        for table, row in store.dump(SPACE):
            if table == "memories" and not row["protected"]:
                titles[row["key"]], names[row["id"]] = row["title"], row["title"]
                values["memory", row["title"]] = Standing(
                    row["state"], row["text"], bool(row["pinned"]), row["access_count"]
                )
            elif table == "edges":
                values["link", titles[row["source"]], titles[row["target"]]] = LINKED
            elif table == "recalls":
                values["recall", row["query"]] = frozenset(
                    names.get(i, i) for i in json.loads(row["reported"])
                )
            elif table == "operations":
                operations.add(row["id"])
    finally:
        store.close()
    return Image(
        values, {title: memory_id for memory_id, title in names.items()}, frozenset(operations)
    )


def changed(values: Mapping[Key, Value], changes: Changes) -> dict[Key, Value]:
    """The values with the changes made."""
    merged = {**values, **changes}
    return {key: value for key, value in merged.items() if value is not None}
