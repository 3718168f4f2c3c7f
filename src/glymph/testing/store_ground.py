"""The ground of store tests: an empty store with two spaces, and rows to put into it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from glymph.config import Settings
from glymph.store import open_store
from glymph.store.store import Store
from glymph.testing.builders import identity_row, intent, memory_row

A, B = "alpha", "beta"


class StoreGround:
    """A store of the engine that `url` names, with the spaces alpha and beta."""

    @pytest.fixture
    def url(self) -> str:
        pytest.fail("A StoreSuite needs a `url` fixture that names an empty store.")

    @pytest.fixture
    def store(self, url: str) -> Iterator[Store]:
        store = open_store(url, Settings())
        for name in (A, B):
            store.create_space(name, intent("create_space"), identity_row(name))
        yield store
        store.close()

    # building blocks

    def add(self, store: Store, space: str = A, **fields: Any) -> dict[str, Any]:
        """Adds a memory and returns its row as stored."""
        row = memory_row(**fields)
        with store.writing(space, intent("add")) as writer:
            writer.insert("memories", [row])
        with store.reading(space) as reader:
            return dict(reader.memory(row["id"]) or {})

    def connect(self, store: Store, a: dict[str, Any], b: dict[str, Any], space: str = A) -> None:
        with store.writing(space, intent("link")) as writer:
            writer.insert(
                "edges",
                [
                    {
                        "source": a["key"],
                        "target": b["key"],
                        "type": "related_to",
                        "weight": 0.5,
                        "created_at": 1,
                    }
                ],
            )
