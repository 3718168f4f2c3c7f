"""Ways of grouping: one a file, each with its own idea of what belongs together."""

from __future__ import annotations

import pkgutil

import numpy as np
import pytest

from glymph import errors
from glymph.prune import groupings
from glymph.prune.groupings import Item, Material, grouped


def links(*pairs, weight=0.9):
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return {"source": ends[:, 0], "target": ends[:, 1], "weight": np.full(len(ends), weight)}


ITEMS = [
    Item(
        tags=["ops"],
        entities=["Anna"],
        attributes={"symbol": "BTC"},
        clusters=["a"],
        session="one",
        title="t0",
    ),
    Item(
        tags=["ops", "db"],
        entities=["Bob"],
        attributes={"symbol": "ETH"},
        session="one",
        title="t1",
    ),
    Item(
        tags=["db"],
        entities=["Anna", "Bob"],
        attributes={"symbol": "BTC"},
        clusters=["a"],
        title="t2",
    ),
    Item(title="t3"),
]
VECTORS = np.array([[1, 0], [0, 1], [0.999, 0.01], [0, 0]], dtype=np.float32)
EXPECTED = {
    "tag": {"db": [1, 2], "ops": [0, 1]},
    "entity": {"Anna": [0, 2], "Bob": [1, 2]},
    "attribute:symbol": {"BTC": [0, 2]},
    "cluster": {"a": [0, 2]},
    "session": {"one": [0, 1]},
    "community": {"t1": [1, 3]},
    "similarity": {"t0": [0, 2]},
}


def test_every_file_is_a_grouping_with_a_case_here():
    names = {module.name.removeprefix("by_") for module in pkgutil.iter_modules(groupings.__path__)}
    assert names == set(groupings.groupings()) == {way.partition(":")[0] for way in EXPECTED}


@pytest.mark.parametrize("way", EXPECTED)
def test_a_way_of_grouping_finds_what_belongs_together(way):
    material = Material(ITEMS, **links((1, 3)), vectors=VECTORS)
    assert grouped(material, way) == EXPECTED[way]


def test_links_that_have_faded_hold_nothing_together():
    assert grouped(Material(ITEMS, **links((1, 3), weight=0.1)), "community") == {}


def test_without_vectors_nothing_is_similar():
    assert grouped(Material(ITEMS), "similarity") == {}


@pytest.mark.parametrize(
    ("way", "said"),
    [("colour", "not known"), ("attribute", "attribute:NAME"), ("tag:ops", "Write tag")],
)
def test_what_is_not_understood_says_how_to_write_it(way, said):
    with pytest.raises(errors.InvalidInput, match=said):
        grouped(Material(ITEMS), way)
