"""Activation over one hop, and the way it took."""

from __future__ import annotations

import pytest

from glymph.moments import MICROS_PER_DAY
from glymph.recall.spread import FLOOR, HOP_DECAY, Reached, path, spread, strongest

NOW = 1_000 * MICROS_PER_DAY


def link(source, target, weight=0.5, kind="related_to", days=0.0, used=None):
    last = None if used is None else NOW - int(used * MICROS_PER_DAY)
    return source, target, kind, weight, NOW - int(days * MICROS_PER_DAY), last


def reach(frontier, *links):
    return {key: r.activation for key, r in spread(frontier, links, hop=1, now=NOW).items()}


def test_a_link_passes_on_its_share_in_both_directions():
    assert reach({1: 1.0}, link(1, 2), link(3, 1, 0.9)) == pytest.approx(
        {2: 0.5 * HOP_DECAY, 3: 0.9 * HOP_DECAY}
    )
    assert reach({1: 1.0, 2: 0.5}, link(1, 2)) == pytest.approx({2: 0.4, 1: 0.2})


def test_a_link_of_replacement_brings_the_newer_along_unless_it_is_in_doubt():
    sure, doubtful = (link(1, 2, weight, "supersedes") for weight in (0.5, 0.49))
    assert reach({2: 1.0}, sure) == pytest.approx({1: 0.5 * HOP_DECAY})
    assert reach({2: 1.0}, doubtful) == {}


def test_the_strongest_way_counts_not_the_sum():
    found = spread(
        {1: 1.0, 2: 0.9},
        [link(1, 3, 0.2), link(2, 3, 0.8), link(1, 3, 0.4, "caused_by")],
        hop=2,
        now=NOW,
    )
    assert found == {3: Reached(pytest.approx(0.9 * 0.8 * HOP_DECAY), 2, "related_to", 0.8, 2)}


def test_fading_counts_from_the_last_use_together_or_from_making():
    assert reach({1: 1.0}, link(1, 2, 0.8, days=90)) == pytest.approx({2: 0.4 * HOP_DECAY})
    assert reach({1: 1.0}, link(1, 2, 0.8, days=900, used=90)) == pytest.approx(
        {2: 0.4 * HOP_DECAY}
    )
    assert reach({1: 1.0}, link(1, 2, 0.8, "user_linked", days=900)) == pytest.approx(
        {2: 0.8 * HOP_DECAY}
    )
    assert reach({1: 1.0}, link(1, 2, 0.8, days=-5)) == pytest.approx(
        {2: 0.8 * HOP_DECAY}
    )  # a clock set back


def test_what_falls_below_the_floor_goes_nowhere():
    at_the_floor = FLOOR / HOP_DECAY / 0.5
    assert reach({1: at_the_floor * 1.001}, link(1, 2)) != {}
    assert reach({1: at_the_floor * 0.999}, link(1, 2)) == {}
    assert reach({5: 1.0}, link(1, 2)) == {}


def test_only_the_strongest_are_kept_and_of_equals_the_oldest():
    reached = {
        key: Reached(value, 0, "x", 1.0, 1)
        for key, value in ((4, 0.2), (3, 0.5), (2, 0.2), (1, 0.1))
    }
    assert list(strongest(reached, 2)) == [3, 2]
    assert strongest(reached, 0) == {}


def test_a_path_is_told_from_its_origin():
    reached = {
        2: Reached(0.5, 1, "caused_by", 0.8, 1),
        3: Reached(0.3, 2, "part_of", 0.7, 2),
        4: Reached(0.2, 3, "similar_to", 0.6, 3),
    }
    assert [(key, step.source) for key, step in path(4, reached)] == [(2, 1), (3, 2), (4, 3)]
