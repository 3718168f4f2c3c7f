"""From parts to one order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.decay.sections import SECTIONS, Section
from glymph.recall import rank
from glymph.text.tokens import tokens

shares = st.floats(0.0, 1.0)


def test_cosines_are_measured_from_the_unrelated_to_the_nearest():
    cosines = np.asarray([0.9, 0.5, 0.25, np.nan, 0.1])
    most = rank.nearest(cosines, 0.1)
    assert most == pytest.approx(0.8)
    parts = rank.semantic_parts(cosines, 0.1, most, otherwise=np.asarray([0.0, 0.0, 0.0, 0.7, 0.0]))
    assert parts == pytest.approx(
        [1.0, 0.5, 0.0, 0.7, 0.0]
    )  # the third is noise, the fourth has no vector


def test_without_anything_near_nothing_is_near():
    nothing = np.asarray([np.nan, np.nan])
    assert rank.nearest(nothing, 0.3) == 0.0
    assert rank.nearest(np.zeros(0), 0.0) == 0.0
    assert rank.semantic_parts(np.asarray([0.1]), 0.3, 0.0, otherwise=np.zeros(1)).tolist() == [0.0]


def test_the_sections_weights_decide_what_counts():
    parts = {"semantic": np.asarray([1.0, 1.0]), "keyword": np.asarray([0.0, 0.0])}
    knowledge, procedural = rank.relevance(parts, ["KNOWLEDGE", "PROCEDURAL"])
    assert (knowledge, procedural) == pytest.approx((0.35 / 0.5, 0.25 / 0.5))


def test_a_name_alone_finds_nothing():
    parts = {"keyword": np.asarray([0.0, 0.1]), "affinity": np.asarray([1.0, 1.0])}
    found = rank.relevance(parts, ["KNOWLEDGE", "KNOWLEDGE"])
    assert found[0] == 0.0
    assert found[1] > 0.0


@given(
    values=st.lists(
        st.tuples(shares, shares, shares, shares, st.sampled_from(list(Section))), min_size=1
    )
)
def test_relevance_is_a_share_and_grows_with_every_part(values):
    names = ("semantic", "keyword", "graph", "affinity")
    parts = {name: np.asarray([row[at] for row in values]) for at, name in enumerate(names)}
    sections = [row[-1] for row in values]
    found = rank.relevance(parts, sections)
    assert ((found >= 0) & (found <= 1 + 1e-12)).all()
    more = rank.relevance({**parts, "keyword": np.minimum(parts["keyword"] + 0.1, 1.0)}, sections)
    assert (more >= found - 1e-12).all()


def test_neighbours_lend_the_mean_of_both_sides():
    values = np.asarray([1.0, 0.0, 0.5])
    before, after = np.asarray([-1, 0, 1]), np.asarray([1, 2, -1])
    assert rank.beside(values, before, after).tolist() == [0.0, 0.75, 0.0]


@given(section=st.sampled_from(list(Section)), recency=shares, authority=shares)
def test_standing_takes_away_no_more_than_its_weights(section, recency, authority):
    weights = SECTIONS[section].ranking
    found = rank.weigh_standing(section, recency=recency, authority=authority)
    assert 1.0 - weights.recency - weights.authority - 1e-12 <= found <= 1.0
    assert rank.weigh_standing(section, recency=1.0, authority=1.0) == 1.0


@given(costs=st.lists(st.integers(0, 50)), budget=st.integers(0, 200))
def test_packing_fits_keeps_the_order_and_leaves_out_only_what_did_not_fit(costs, budget):
    places = rank.fit_budget(costs, budget)
    assert places == sorted(places)
    assert sum(costs[at] for at in places) <= budget
    for at in set(range(len(costs))) - set(places):
        assert costs[at] > budget - sum(costs[p] for p in places if p < at)


def test_tokens_are_rounded_up():
    assert [tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
