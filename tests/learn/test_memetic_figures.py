"""Entropy, coherence and stage, with exact figures at every boundary."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest

from glymph.decay.stages import Stage, find_policy, stage
from glymph.learn.memetic_figures import closeness, coherence, density, entropy, suggested_action


def sizes(*given):
    return np.array(given, dtype=np.int64)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ((10,), 0.0),
        ((), 0.0),
        ((5, 5), 1.0),
        ((1,) * 16, 1.0),
        ((3, 1), 0.8112781),
        ((2, 1, 1), 0.9463946),
    ],
)
def test_entropy_is_that_of_shannon_over_its_largest(given, wanted):
    assert entropy(sizes(*given)) == pytest.approx(wanted)


def test_coherence_is_the_share_in_communities_of_three_times_how_tight_they_are():
    assert coherence(sizes(3, 2), np.array([0.5, 1.0])) == pytest.approx(0.6 * 0.5)
    assert coherence(sizes(3, 6, 1), np.array([1.0, 0.5, 1.0])) == pytest.approx(0.9 * (3 + 3) / 9)


def test_coherence_is_none_without_a_community_of_three():
    assert coherence(sizes(2, 2, 1), np.array([1.0, 1.0, np.nan])) == 0.0
    assert coherence(sizes(), np.array([])) == 0.0


def test_a_community_without_vectors_is_taken_for_as_tight_as_the_others():
    assert coherence(sizes(3, 3), np.array([0.8, np.nan])) == pytest.approx(0.8)


def test_density_is_the_share_of_possible_pairs():
    assert density(sizes(3, 4, 1), sizes(3, 3, 0)).tolist()[:2] == [1.0, 0.5]
    assert np.isnan(density(sizes(1), sizes(0))[0])


def test_closeness_is_the_mean_cosine_to_the_centroid():
    vectors = np.array([[1, 0], [0, 1], [1, 0]], dtype=np.float32)
    found = closeness(vectors, sizes(1, 1, 0), 3)
    centroid = np.array([0.5, 0.5]) / np.linalg.norm([0.5, 0.5])
    assert found[0] == pytest.approx(1.0)
    assert found[1] == pytest.approx(float(np.mean(vectors[:2] @ centroid)))
    assert np.isnan(found[2])
    assert np.isnan(closeness(vectors[:0], sizes(), 2)).all()


@pytest.mark.parametrize(
    ("memories", "e", "c", "action"),
    [
        (19, 0.9, 0.1, "ready"),
        (20, 0.9, 0.1, "curate"),
        (20, 0.71, 0.39, "curate"),
        (20, 0.70, 0.39, "consolidate"),  # not above 0.7
        (20, 0.71, 0.40, "review"),  # not below 0.4
        (20, 0.81, 0.40, "prune"),
        (20, 0.80, 0.40, "review"),
        (20, 0.81, 0.90, "prune"),  # before explore
        (20, 0.80, 0.39, "curate"),  # before prune
        (20, 0.30, 0.39, "consolidate"),
        (20, 0.61, 0.51, "explore"),
        (20, 0.60, 0.51, "review"),
        (20, 0.61, 0.50, "review"),
        (20, 0.80, 0.51, "explore"),
        (20, 0.39, 0.61, "ready"),
        (20, 0.40, 0.61, "review"),
        (20, 0.39, 0.60, "review"),
        (20, 0.50, 0.45, "review"),
    ],
)
def test_the_first_rule_that_holds_says_what_to_do(memories, e, c, action):
    assert suggested_action(memories, e, c) == action


@pytest.mark.parametrize(
    ("recalls", "wanted"),
    [
        (0, "infancy"),
        (49, "infancy"),
        (50, "growth"),
        (499, "growth"),
        (500, "maturity"),
        (10**6, "maturity"),
    ],
)
def test_the_stage_goes_by_the_number_of_recalls(recalls, wanted):
    assert stage(recalls, sessions=0, memories=0) == wanted


@pytest.mark.parametrize(
    ("sessions", "memories", "wanted"),
    [(4, 49, "infancy"), (5, 0, "growth"), (0, 50, "growth"), (10**6, 10**6, "growth")],
)
def test_sessions_or_memories_end_the_infancy_without_any_recall(sessions, memories, wanted):
    assert stage(0, sessions=sessions, memories=memories) == wanted


def test_each_stage_has_its_upkeep():
    told = {one: astuple(find_policy(one, sessions=5)) for one in Stage}
    assert told == {Stage.INFANCY: (None, 30), Stage.GROWTH: (5, 30), Stage.MATURITY: (3, 21)}
