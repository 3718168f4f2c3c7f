"""The current statement never goes before the older one that it updates."""

from __future__ import annotations

import pytest

from glymph import Glymph
from glymph.prune.vectors import load_vectors
from glymph.store.guards import STILL_CURRENT
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


@pytest.fixture
def moved(tmp_path, clock):
    """An address and the one that took its place, and two notes linked to the newer one."""
    settings = {"compare": "off"}
    with Glymph.open(
        f"sqlite:///{tmp_path / 'memory.db'}", clock=clock, embedder="none", settings=settings
    ) as glymph:
        old = glymph.add("I live at 4 Mill Lane.").id
        new = glymph.add("I live at 9 Church Street.").id
        beside = glymph.add("The landlord is called Ames.").id
        glymph.link(new, old, "supersedes")
        glymph.link(new, beside, "related_to")
        clock.advance(days=200)
        yield glymph, old, new, beside


def blocked(glymph):
    plan = glymph.analyze(include_isolated=True)
    return {node.id: node.blocked for group in plan.groups for node in group.nodes}


def test_a_current_statement_stays_while_its_subject_is_recalled(moved, clock):
    glymph, old, new, beside = moved
    assert not any(blocked(glymph).values())  # nobody has asked for it in 90 days
    assert glymph.recall("Church Street")
    found = blocked(glymph)
    assert found[new] == STILL_CURRENT
    assert found[beside] is None
    plan = glymph.analyze(include_isolated=True)
    receipt = glymph.prune(plan.id, confirm_large=True)
    assert new in {one.id for one in receipt.skipped}
    assert {glymph.get(one).state for one in (old, beside)} == {"ARCHIVED"}
    clock.advance(days=91)
    assert not any(blocked(glymph).values())


def test_a_current_statement_stays_while_something_beside_it_is_told(moved):
    glymph, _, new, _ = moved
    fresh = glymph.add("The rent goes up in May.").id
    glymph.link(fresh, new, "related_to")
    assert blocked(glymph)[new] == STILL_CURRENT
    assert new not in {one.memory_id for one in glymph.candidates(limit=1000).candidates}


def test_what_replaced_nothing_is_not_current_in_this_sense(moved):
    glymph, *_, beside = moved
    glymph.recall("landlord Ames")
    assert blocked(glymph)[beside] is None
