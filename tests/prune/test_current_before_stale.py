"""The current statement never goes before the older one that it updates."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.prune.vectors import load_vectors
from glymph.testing import FrozenClock
from glymph.testing.embedders import WordEmbedder


@pytest.fixture
def clock():
    return FrozenClock()


@pytest.fixture
def moved_back(tmp_path, clock):
    """Berlin, then Lisbon, then Berlin again; the ids in that order."""
    with Glymph.open(
        f"sqlite:///{tmp_path / 'memory.db'}", clock=clock, embedder=WordEmbedder()
    ) as glymph:
        ids = []
        for city in ("Berlin", "Lisbon", "Berlin"):
            ids.append(glymph.add(f"I live in {city}.", kind="fact").id)
            clock.advance(days=5)
        yield glymph, ids


def find(glymph):
    return [hit.memory.id for hit in glymph.search("Where do I live? Berlin Lisbon")]


def test_the_gardener_merges_no_statement_with_the_one_that_it_updates(moved_back, clock):
    glymph, (_, lisbon, current) = moved_back
    before = find(glymph)
    assert before.index(current) < before.index(lisbon)
    clock.advance(days=100)
    assert glymph.garden().merged == ()
    assert find(glymph) == before


def test_lifecycle_archives_no_current_statement_because_an_outdated_one_says_the_same(
    moved_back, clock
):
    glymph, (old, _, current) = moved_back
    glymph.pin(old)
    clock.advance(days=2000)
    glymph.lifecycle()
    assert glymph.get(current).state == "LIVE"


def test_a_row_that_comes_twice_has_its_vector_twice(moved_back):
    glymph, (old, *_) = moved_back
    glymph.embed()
    with glymph.context.reading() as reader:
        row = reader.memory(old)
        vectors = load_vectors(glymph.context, reader, [row, row])
    assert vectors.any(axis=1).all()


def test_of_groups_that_are_equally_stale_the_oldest_comes_first(tmp_path, clock):
    with Glymph.open(f"sqlite:///{tmp_path / 'tags.db'}", clock=clock, embedder="none") as glymph:
        for tag in ("zebra", "mango", "apple"):
            for number in range(2):
                glymph.add(f"The {tag} note has the number {number}", kind="note", tags=[tag])
            clock.advance(days=1)
        clock.advance(days=4000)
        plan = glymph.analyze(grouping="tag", max_groups=2)
        tags = [glymph.get(group.nodes[0].id).tags for group in plan.groups]
    assert tags == [("zebra",), ("mango",)]
