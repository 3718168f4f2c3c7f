"""Linking what is new: near pairs once, what waits for a vector later, nothing twice."""

from __future__ import annotations

import numpy as np
import pytest

from glymph import Glymph
from glymph.testing.embedders import WordEmbedder
from glymph.write import autolink
from glymph.write.autolink import COUNTER, link_new
from glymph.write.backfill import backfill

NEAR = (
    "Bought one hundred shares of ACME for the long account today at 41.50",
    "Bought one hundred shares of ACME for the long account today at 42.50",
)
FAR = "Invoices go out on the first Monday of each month."


def opened(url, clock, embedder=None):
    return Glymph.open(url, clock=clock, embedder=embedder or WordEmbedder(512, ms=1000.0))


def put(url, clock, *texts):
    """Adds texts without vectors; their ids."""
    with Glymph.open(url, clock=clock, embedder="none") as glymph:
        return [glymph.add(text, kind="trade_entry").id for text in texts]


def embed(glymph):
    return max(backfill(glymph.context), default=0)


def links(glymph):
    return sorted(
        tuple(sorted((edge["source"], edge["target"])))
        for edge in glymph.graph().edges
        if edge["type"] == "similar_to"
    )


def counter(glymph):
    with glymph.context.reading() as reader:
        return reader.counter(COUNTER)


def newest(glymph):
    with glymph.context.reading() as reader:
        return reader.newest_memory()


def test_what_is_near_is_linked_and_what_is_far_is_not(url, clock):
    a, b, _ = put(url, clock, *NEAR, FAR)
    with opened(url, clock) as glymph:
        embed(glymph)
        report = link_new(glymph.context)
        assert report.linked == 1
        assert links(glymph) == [tuple(sorted((a, b)))]
        assert counter(glymph) == newest(glymph)


def test_a_second_run_examines_nothing_and_links_nothing(url, clock):
    put(url, clock, *NEAR)
    with opened(url, clock) as glymph:
        embed(glymph)
        link_new(glymph.context)
        again = link_new(glymph.context)
        assert (again.examined, again.linked) == (0, 0)
        assert len(links(glymph)) == 1


def test_a_run_that_was_killed_before_it_noted_how_far_it_was_doubles_no_link(url, clock):
    put(url, clock, *NEAR)
    with opened(url, clock) as glymph:
        embed(glymph)
        link_new(glymph.context)
        with glymph.context.store.writing("default", None) as writer:
            writer.set_counter(COUNTER, 0)
        assert link_new(glymph.context).linked == 0
        assert len(links(glymph)) == 1


def test_what_is_new_is_linked_to_what_is_old(url, clock):
    [a] = put(url, clock, NEAR[0])
    with opened(url, clock) as glymph:
        embed(glymph)
        assert link_new(glymph.context).linked == 0
    [b] = put(url, clock, NEAR[1])
    with opened(url, clock) as glymph:
        embed(glymph)
        assert link_new(glymph.context).linked == 1
        assert links(glymph) == [tuple(sorted((a, b)))]


def test_what_has_no_vector_waits_and_so_does_what_comes_behind_it(url, clock):
    put(url, clock, *NEAR)
    with opened(url, clock) as glymph:
        report = link_new(glymph.context)
        assert (report.examined, report.linked) == (0, 0)
        assert (counter(glymph) or 0) < newest(glymph)
        embed(glymph)
        assert link_new(glymph.context).linked == 1


def test_what_is_archived_keeps_nobody_waiting_and_is_linked_to_nothing(url, clock):
    a, _ = put(url, clock, *NEAR)
    with opened(url, clock) as glymph:
        glymph.archive(a)
        embed(glymph)
        assert link_new(glymph.context).linked == 0
        assert counter(glymph) == newest(glymph)


def test_many_are_looked_at_in_several_runs(url, clock, monkeypatch):
    monkeypatch.setattr(autolink, "AT_ONCE", 2)
    put(url, clock, *NEAR, FAR)
    with opened(url, clock) as glymph:
        embed(glymph)
        examined = [link_new(glymph.context).examined for _ in range(4)]
        assert sum(examined) == 3
        assert max(examined) <= 2
        assert len(links(glymph)) == 1


def test_without_an_embedder_nothing_is_done(glymph):
    glymph.add(NEAR[0])
    assert link_new(glymph.context).examined == 0
    assert counter(glymph) is None


def test_the_oldest_come_first_in_whatever_order_they_lie():
    class View(dict):
        def mask(self, wanted):
            return np.ones(4, dtype=bool)

    view = View(key=np.array([7, 3, 9, 5]), embedded=np.array([True, True, False, True]))
    slots, upto = autolink._new(view, 3)
    assert (slots.tolist(), upto) == ([3, 0], 7)


@pytest.mark.parametrize("least", [1.1])
def test_a_pair_below_the_band_is_no_pair(url, clock, least, monkeypatch):
    put(url, clock, *NEAR)
    with opened(url, clock) as glymph:
        embed(glymph)
        real = autolink.near_pairs_of
        monkeypatch.setattr(
            autolink, "near_pairs_of", lambda *a, **k: real(*a, **{**k, "least": least})
        )
        assert link_new(glymph.context).pairs == ()
