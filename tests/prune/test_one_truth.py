"""Every report says the same of a store, whatever its shape."""

from __future__ import annotations

from itertools import pairwise

import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.testing.embedders import WordEmbedder
from tests.grounds.reading import GradingReader

SETTINGS = Settings.parse({"compare": "off", "junk_gate": "off"})
LONG = 800  # days after which every note is dormant


def nothing(glymph, clock):
    pass


def one(glymph, clock):
    glymph.add("Lasting words about one house.")


def unlinked(glymph, clock):
    glymph.add_many(f"Lasting words about house {n} in street {n * 7}." for n in range(12))


def dormant(glymph, clock):
    linked(glymph, "Lasting", 12)
    clock.advance(days=LONG)


def vital(glymph, clock):
    linked(glymph, "Vital", 12)
    clock.advance(days=LONG)


def giant(glymph, clock):
    linked(glymph, "Lasting", 300)


def duplicates(glymph, clock):
    glymph.add_many({"text": "Lasting words of the house", "kind": f"k{n}"} for n in range(1000))
    clock.advance(days=40)


def without_embedder(glymph, clock):
    for n in range(12):
        glymph.add(f"Lasting words about room {n * 13}.", tags=["house" if n < 6 else "garden"])
    glymph.settle()


def linked(glymph, word, count):
    added = glymph.add_many(
        f"{word} words about house {n} in street {n * 7}." for n in range(count)
    )
    for a, b in pairwise(added):
        glymph.link(a.id, b.id, "related_to")


SHAPES = (nothing, one, unlinked, dormant, vital, giant, duplicates, without_embedder)


@pytest.fixture(params=SHAPES, ids=lambda shape: shape.__name__)
def shaped(request, url, clock):
    embedder = "none" if request.param is without_embedder else WordEmbedder()
    with Glymph.open(
        url, clock=clock, settings=SETTINGS, embedder=embedder, reader=GradingReader()
    ) as glymph:
        request.param(glymph, clock)
        glymph.settle()
        yield request.param, glymph


def test_reports_agree(shaped):
    shape, glymph = shaped
    plan, health = glymph.analyze(), glymph.health()
    whole = glymph.analyze(min_staleness=0, max_groups=1000, include_isolated=True)
    candidates, memetic = glymph.candidates(limit=1000), glymph.memetic_status()
    lifecycle = glymph.lifecycle(dry_run=True)
    tasks = {task.task: task.count for task in memetic.curation_tasks}
    listed = {one.memory_id for one in candidates.candidates}

    # how many there are, and how they stand
    counts = {plan.totals.memories, memetic.memories, candidates.summary["examined"]}
    assert counts == {health.active + health.weak + health.dormant}
    assert plan.totals.dormant == health.dormant
    members = [node for group in whole.groups for node in group.nodes]
    assert len({node.id for node in members}) == plan.totals.memories
    assert sum(node.lifecycle == "DORMANT" for node in members) == health.dormant
    assert tasks.get("unlinked", 0) == plan.totals.isolated
    assert tasks.get("stale groups", 0) == len(plan.groups)

    # what may go: nothing that another report says stays
    assert candidates.summary["total"] == sum(candidates.summary["by_reason"].values())
    going = {one.id for one in lifecycle.archived}
    blocked = {node.id for node in members if node.blocked}
    assert not listed & blocked
    assert not going & blocked

    # healthy is what nobody finds fault with
    if "healthy" in plan.text:
        assert not plan.groups
        assert health.dormant <= health.live / 9
    EXPECTED[shape](plan, health, candidates, tasks, lifecycle)


def expect_nothing_to_do(plan, health, candidates, tasks, lifecycle):
    assert candidates.summary["total"] == 0
    assert lifecycle.archived == ()
    assert plan.groups == ()


def expect_dormant(plan, health, candidates, tasks, lifecycle):
    assert health.dormant == 12
    assert "healthy" not in plan.text
    assert candidates.summary["by_reason"]["staleness"] == 12
    assert len(plan.groups) == 1


def expect_vital(plan, health, candidates, tasks, lifecycle):
    assert health.dormant == 12
    assert "healthy" not in plan.text
    assert candidates.candidates == ()
    assert lifecycle.archived == ()


def expect_duplicates(plan, health, candidates, tasks, lifecycle):
    assert candidates.summary["by_reason"]["redundancy"] == 999
    assert tasks["duplicates"] == 1


def expect_groups(plan, health, candidates, tasks, lifecycle):
    assert plan.totals.connected_groups == 2
    assert plan.totals.isolated == 0


EXPECTED = {
    nothing: expect_nothing_to_do,
    one: expect_nothing_to_do,
    unlinked: expect_nothing_to_do,
    giant: expect_nothing_to_do,
    dormant: expect_dormant,
    vital: expect_vital,
    duplicates: expect_duplicates,
    without_embedder: expect_groups,
}
