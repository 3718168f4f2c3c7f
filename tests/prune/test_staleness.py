"""Staleness: the specification's formula, its bounds, and the ranking of groups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.decay import lifecycle
from glymph.decay.lifecycle import DEFAULT_CURVES, Curve
from glymph.decay.sections import Section
from glymph.model import Lifecycle, State
from glymph.moments import MICROS_PER_DAY
from glymph.prune import staleness
from glymph.prune.stale_groups import rank_linked_groups
from glymph.prune.staleness import UNKNOWN, WEIGHTS, Vitals
from glymph.store.arrays import FOR_EVER, NEVER, SECTIONS, STATES, Columns

NOW = 1_785_000_000_000_000
KINDS = ["self", "fact", "goal", "trade_close", "signal", "playbook"]
HOMES = {"self": Section.KNOWLEDGE, "fact": Section.KNOWLEDGE, "goal": Section.KNOWLEDGE,
         "trade_close": Section.EPISODIC, "signal": Section.SIGNALS, "playbook": Section.PROCEDURAL}  # fmt: skip
TYPES = ["user_linked", "related_to", "supersedes", "similar_to", "contradicts"]

figures = st.tuples(st.floats(0, 1), st.floats(0, 5_000), st.integers(0, 200))
groups_of_figures = st.lists(figures, min_size=1, max_size=12)


def vitals(rows):
    return Vitals(*(np.array(column, dtype=np.float64) for column in zip(*rows, strict=True)))


def score_of(rows):
    return staleness.score_groups(vitals(rows), np.zeros(len(rows), dtype=np.int64), 1).score[0]


def space(*memories, edges=()):
    """Columns of memories, and links between them.

    Each memory is a mapping that says what is not ordinary about it.
    """
    ordinary = {
        "kind": "fact", "state": "LIVE", "created": 0.0, "used": None, "stability": 60.0, "uses": 0,
        "superseded": False, "expires": FOR_EVER,
    }  # fmt: skip
    rows = [{**ordinary, **memory} for memory in memories]

    def moment(days):
        return NEVER if days is None else int(NOW - days * MICROS_PER_DAY)

    columns = {
        "key": [10 + 3 * at for at in range(len(rows))],
        "kind": [KINDS.index(row["kind"]) for row in rows],
        "section": [SECTIONS.index(HOMES[row["kind"]]) for row in rows],
        "state": [STATES.index(row["state"]) for row in rows],
        "pinned": [False] * len(rows), "protected": [row["kind"] == "self" for row in rows],
        "superseded": [row["superseded"] for row in rows],
        "created_at": [moment(row["created"]) for row in rows],
        "last_used_at": [moment(row["used"]) for row in rows],
        "expires_at": [row["expires"] for row in rows],
        "stability": [row["stability"] for row in rows], "access_count": [row["uses"] for row in rows],
    }  # fmt: skip
    links = {
        "source": np.array([10 + 3 * edge[0] for edge in edges], dtype=np.int64),
        "target": np.array([10 + 3 * edge[1] for edge in edges], dtype=np.int64),
        "type": np.array([TYPES.index(edge[2]) for edge in edges], dtype=np.int64),
        "weight": np.array([0.5] * len(edges)),
        "since": np.array([moment(edge[3]) for edge in edges], dtype=np.int64),
    }
    return Columns(
        {name: np.array(column) for name, column in columns.items()}, links, KINDS, TYPES
    )


def ranked(columns, **asked):
    return rank_linked_groups(
        columns, **{"curves": DEFAULT_CURVES, "now": NOW, "min_staleness": 0.0, **asked}
    )


def slots(group):
    return [(key - 10) // 3 for key in group.keys.tolist()]


@given(groups_of_figures)
def test_the_score_is_the_formula_of_the_specification(rows):
    retrievability, days, uses = (
        np.array(column, dtype=float) for column in zip(*rows, strict=True)
    )
    wanted = (
        0.35 * min(1, (1 - retrievability.mean()) / 0.5)
        + 0.25
        * np.mean(
            [lifecycle.lifecycle(value, State.LIVE) != Lifecycle.ACTIVE for value in retrievability]
        )
        + 0.25 * min(1, days.min() / 90)
        + 0.15 * max(0, 1 - uses.mean() / 20)
    )
    assert score_of(rows) == pytest.approx(wanted)


@given(groups_of_figures)
def test_staleness_lies_between_zero_and_one_and_is_the_sum_of_its_parts(rows):
    found = staleness.score_groups(vitals(rows), np.zeros(len(rows), dtype=np.int64), 1)
    assert 0 <= found.score[0] <= 1
    assert sum(found.parts(0).values()) == pytest.approx(found.score[0])
    assert found.parts(0).keys() == WEIGHTS.keys()


@given(figures)
def test_a_group_of_one_is_as_stale_as_its_memory(row):
    assert score_of([row]) == staleness.score_memories(vitals([row])).score[0]


@given(
    st.lists(figures, min_size=1, max_size=12),
    st.lists(st.integers(0, 3), min_size=12, max_size=12),
)
def test_groups_side_by_side_score_as_each_alone(rows, labels):
    label = np.array(labels[: len(rows)])
    found = staleness.score_groups(vitals(rows), label, 4).score
    for group in set(label.tolist()):
        assert found[group] == pytest.approx(
            score_of([row for row, own in zip(rows, label, strict=True) if own == group])
        )


@given(
    st.sampled_from(KINDS[1:]),
    st.floats(0, 900),
    st.floats(0.01, 900),
    st.floats(0.1, 700),
    st.integers(0, 30),
)
def test_staleness_never_falls_with_age(kind, days, more, stability, uses):
    young, old = (
        ranked(
            space({"kind": kind, "created": age, "stability": stability, "uses": uses}),
            include_isolated=True,
        )
        for age in (days, days + more)
    )
    assert young.groups[0].staleness <= old.groups[0].staleness + 1e-12


def test_what_is_unknown_is_neutral():
    nothing = np.full(1, np.nan)
    found = staleness.score_memories(Vitals(nothing, nothing, nothing))
    assert found.score[0] == pytest.approx(UNKNOWN)
    one_known = Vitals(np.array([1.0, np.nan]), np.array([0.0, np.nan]), np.array([40.0, np.nan]))
    assert staleness.score_groups(one_known, np.zeros(2, dtype=np.int64), 2).score.tolist() == [
        0.0,
        UNKNOWN,
    ]


@given(
    st.lists(st.sampled_from(["fact", "trade_close", "playbook", "goal"]), min_size=1, max_size=8),
    st.data(),
)
def test_a_group_all_active_and_recent_is_not_stale(kinds, data):
    """Recent: used within a week, while all of it is still ACTIVE."""
    ages = [data.draw(st.floats(0, 7)) for _ in kinds]
    memories = [
        {"kind": kind, "created": age, "stability": 21.0}
        for kind, age in zip(kinds, ages, strict=True)
    ]
    links = [(0, at, "user_linked", 0) for at in range(1, len(kinds))]
    (group,) = ranked(space(*memories, edges=links), include_isolated=True).groups
    assert (group.active, group.weak, group.dormant) == (len(kinds), 0, 0)
    assert group.staleness < 0.3


old_rows = st.tuples(
    st.sampled_from(["fact", "trade_close", "signal"]), st.floats(0, 300), st.integers(0, 9)
)


@given(st.lists(old_rows, min_size=1, max_size=8))
def test_a_group_all_dormant_and_old_is_stale(rows):
    """Old: retrievability fallen by four tenths, nobody used any for three months, and never often."""
    memories = [
        {"kind": kind, "created": 3_000 + more, "stability": 8.0, "uses": uses}
        for kind, more, uses in rows
    ]
    links = [(0, at, "user_linked", 0) for at in range(1, len(rows))]
    (group,) = ranked(space(*memories, edges=links), include_isolated=True).groups
    assert (group.active, group.weak, group.dormant) == (0, 0, len(rows))
    assert group.staleness > 0.7


@given(st.lists(st.tuples(st.sampled_from(KINDS[1:]), st.floats(0, 900), st.none() | st.floats(0, 900),
                          st.floats(0.1, 700)), min_size=1, max_size=20),
       st.floats(0.1, 2), st.floats(0.2, 5))  # fmt: skip
def test_the_vitals_of_many_are_those_that_presence_tells_of_each(rows, decay, scale):
    curves = {**DEFAULT_CURVES, Section.EPISODIC: Curve(decay, scale)}
    columns = space(*({"kind": k, "created": c, "used": u, "stability": s} for k, c, u, s in rows))
    found = staleness.measure_vitals(columns.memories, KINDS, curves=curves, now=NOW)
    anchors = [int(NOW - (c if u is None else u) * MICROS_PER_DAY) for _, c, u, _ in rows]
    wanted = lifecycle.retrievability(
        curves=curves, kinds=[row[0] for row in rows], sections=[HOMES[row[0]].value for row in rows],
        stability=[row[3] for row in rows], anchors=anchors, now=NOW,
    )  # fmt: skip
    assert found.retrievability.tolist() == pytest.approx(wanted.tolist(), rel=1e-12)


def test_active_ends_where_it_ends_for_one_memory():
    values = np.array([0.9, 0.9 - 1e-13, 0.9 - 1e-9, 0.8, 0.8 - 1e-13, 0.8 - 1e-9])
    stages = [lifecycle.lifecycle(value, State.LIVE) for value in values.tolist()]
    assert staleness.is_active(values).tolist() == [stage == Lifecycle.ACTIVE for stage in stages]
    assert staleness.is_dormant(values).tolist() == [stage == Lifecycle.DORMANT for stage in stages]


def test_groups_hang_together_by_links_however_old_these_are():
    old = {"created": 400.0}
    columns = space(
        old, old, old, old, old,
        edges=[(0, 1, "user_linked", 400), (1, 2, "related_to", 10), (2, 3, "related_to", 400)],
    )  # fmt: skip
    found = ranked(columns)
    assert sorted(slots(group) for group in found.groups) == [[0, 1, 2, 3]]
    assert (found.memories, found.edges, found.connected, found.isolated) == (5, 3, 1, 1)
    everything = ranked(columns, include_isolated=True).groups
    assert [slots(group) for group in everything if group.isolated] == [[4]]
    chain = next(group for group in found.groups if len(group.keys) == 4)
    assert (chain.edges, chain.days_since_active, chain.mean_uses) == (3, pytest.approx(400), 0)


@pytest.mark.parametrize("kind", ["supersedes", "similar_to", "contradicts"])
def test_what_is_replaced_or_repeated_is_no_group_for_that(kind):
    old = {"created": 400.0}
    columns = space(old, old, old, edges=[(0, 1, kind, 10), (1, 2, "related_to", 400)])
    assert [slots(group) for group in ranked(columns).groups] == [[1, 2]]
    every = ranked(columns, include_isolated=True).groups
    assert sorted(slots(group) for group in every) == [[0], [1, 2]]


def test_archived_and_trashed_are_counted_and_the_identity_is_not_even_that():
    old = {"created": 400.0}
    columns = space(
        {**old, "kind": "self"}, old, {**old, "state": "ARCHIVED"}, {**old, "state": "TRASHED"},
        {**old, "superseded": True, "expires": NOW - 1},
        edges=[(0, 1, "user_linked", 0), (1, 2, "user_linked", 0), (2, 4, "user_linked", 0)],
    )  # fmt: skip
    found = ranked(columns, include_isolated=True)
    assert sorted(slots(group) for group in found.groups) == [[1], [4]]
    assert (found.memories, found.archived, found.trashed, found.superseded) == (2, 1, 1, 1)
    assert (found.edges, found.isolated) == (0, 2)


def test_the_stalest_come_first_and_only_so_many():
    columns = space(*({"created": float(age), "uses": 0} for age in (0, 50, 900, 400)))
    found = ranked(columns, include_isolated=True, min_staleness=0.3, max_groups=2)
    assert [slots(group) for group in found.groups] == [[2], [3]]
    assert found.stale == 3
    assert ranked(columns, include_isolated=True, min_staleness=0.99).groups == []


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.integers(0, 12))
def test_the_first_of_many_are_those_of_all_in_order(ages, most):
    columns = space(*({"created": 100.0 * age} for age in ages))
    everything = ranked(columns, include_isolated=True, max_groups=100).groups
    some = ranked(columns, include_isolated=True, max_groups=most).groups
    assert [slots(group) for group in some] == [slots(group) for group in everything][:most]
    assert [slots(group)[0] for group in everything] == sorted(
        range(len(ages)), key=lambda at: (-score_at(columns, at), at)
    )


def score_at(columns, slot):
    found = staleness.measure_vitals(columns.memories, KINDS, curves=DEFAULT_CURVES, now=NOW)
    return staleness.score_memories(found).score[slot]


@pytest.mark.parametrize("keys", [[5, 6, 7, 8], [5, 9, 10, 20], [1, 10**6, 10**7, 10**12]])
def test_memories_are_found_by_their_keys_however_those_lie(keys):
    own = np.array(keys, dtype=np.int64)
    find = Columns({"key": own}, {}, [], []).finder()
    assert find(own[[3, 0, 2, 2]]).tolist() == [3, 0, 2, 2]
    assert Columns({"key": own[:0]}, {}, [], []).finder()(own[:0]).tolist() == []


def test_an_empty_space_has_no_groups():
    found = ranked(space({"kind": "self"}))
    assert (found.groups, found.memories, found.stale) == ([], 0, 0)
