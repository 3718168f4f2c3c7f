"""FSRS-6: equal to the reference package, and true to the figures of the specification."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import fsrs as py_fsrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from glymph.decay import fsrs, lifecycle
from glymph.decay.fsrs import Rating
from glymph.decay.sections import KINDS, SECTIONS, Section, initial_stability, kind_profile
from glymph.model import Lifecycle, State

START = datetime(2026, 1, 1, tzinfo=UTC)
SCHEDULER = py_fsrs.Scheduler(enable_fuzzing=False)


def reference(stability, difficulty, days, rating, hours=0):
    """Stability and difficulty of one card after a review by the reference package."""
    card = py_fsrs.Card(
        card_id=1, state=py_fsrs.State.Review, stability=float(stability), difficulty=float(difficulty),
        due=START, last_review=START,
    )  # fmt: skip
    reviewed, _ = SCHEDULER.review_card(
        card, py_fsrs.Rating(int(rating)), START + timedelta(days=int(days), hours=hours)
    )
    return reviewed.stability, reviewed.difficulty


def test_the_update_equals_the_reference_on_thousands_of_random_cards():
    rng = np.random.default_rng(6)
    count = 8000
    stability = 10 ** rng.uniform(-2.5, 3.5, count)
    difficulty = rng.uniform(1, 10, count)
    days = rng.integers(0, 900, count)
    rating = rng.integers(1, 5, count)
    s = fsrs.next_stability(stability, difficulty, rating, days=days)
    d = fsrs.next_difficulty(difficulty, rating)
    expected = np.array(
        [reference(*card) for card in zip(stability, difficulty, days, rating, strict=True)]
    )
    assert np.allclose(s, expected[:, 0], rtol=1e-9, atol=0)
    assert np.allclose(d, expected[:, 1], rtol=1e-9, atol=0)
    assert set(rating.tolist()) == {1, 2, 3, 4}
    assert (days == 0).sum() > 5


def test_same_day_reviews_equal_the_reference_too():
    rng = np.random.default_rng(7)
    for _ in range(400):
        s, d, g = 10 ** rng.uniform(-2.5, 3), rng.uniform(1, 10), int(rng.integers(1, 5))
        expected, _ = reference(s, d, 0, g, hours=int(rng.integers(0, 24)))
        assert float(fsrs.next_stability(s, d, g, days=0.3)) == pytest.approx(expected, rel=1e-9)


def test_retrievability_equals_the_reference_on_whole_days():
    rng = np.random.default_rng(8)
    stability = 10 ** rng.uniform(-2, 3, 2000)
    days = rng.integers(0, 2000, 2000)
    values = fsrs.retrievability(days, stability)
    for value, s, t in zip(values, stability, days, strict=True):
        card = py_fsrs.Card(
            card_id=1,
            state=py_fsrs.State.Review,
            stability=float(s),
            difficulty=5.0,
            last_review=START,
        )
        assert value == pytest.approx(
            SCHEDULER.get_card_retrievability(card, START + timedelta(days=int(t))), rel=1e-12
        )


def test_a_new_memory_has_the_difficulty_of_a_good_first_rating():
    assert fsrs.initial_difficulty(Rating.GOOD) == pytest.approx(2.1181, abs=5e-5)


@pytest.mark.parametrize("section", list(Section))
def test_stability_is_the_number_of_days_until_nine_tenths(section):
    profile = SECTIONS[section]
    assert float(
        fsrs.retrievability(profile.stability, profile.stability, profile.decay)
    ) == pytest.approx(0.9)
    assert float(fsrs.days_until(0.9, profile.stability, profile.decay)) == pytest.approx(
        profile.stability
    )


@pytest.mark.parametrize(
    ("kind", "active_days", "dormant_days"),
    [("trade_close", 21, 50), ("lesson", 90, 266), ("playbook", 180, 597)],
)
def test_lifecycle_turns_on_the_days_the_specification_names(kind, active_days, dormant_days):
    section = KINDS[kind].section
    day = 86_400_000_000

    def at(days):
        value = lifecycle.retrievability(
            kinds=[kind], sections=[section], stability=[initial_stability(kind, section, 0.5)], anchors=[0],
            now=int(days * day), curves=lifecycle.DEFAULT_CURVES,
        )[0]  # fmt: skip
        return lifecycle.lifecycle(float(value), State.LIVE)

    assert at(active_days) is Lifecycle.ACTIVE
    assert at(active_days + 0.01) is Lifecycle.WEAK
    assert at(dormant_days - 1) is Lifecycle.WEAK
    assert at(dormant_days + 1) is Lifecycle.DORMANT


def test_what_is_not_live_always_reads_dormant():
    assert lifecycle.lifecycle(1.0, State.ARCHIVED) is Lifecycle.DORMANT
    assert lifecycle.lifecycle(1.0, State.TRASHED) is Lifecycle.DORMANT


def test_goals_and_the_identity_do_not_decay():
    values = lifecycle.retrievability(
        kinds=["goal", "self", "note"], sections=["KNOWLEDGE"] * 3, stability=[60.0] * 3, anchors=[0] * 3,
        now=86_400_000_000 * 4000, curves=lifecycle.DEFAULT_CURVES,
    )  # fmt: skip
    assert values[0] == values[1] == 1.0
    assert values[2] < 0.8


@given(
    days=st.floats(0, 1e5),
    more=st.floats(1e-3, 1e4),
    s=st.floats(0.01, 1e4),
    d=st.sampled_from([0.8, 0.5, 0.2, 0.1542]),
)
def test_retrievability_falls_with_time_and_stays_in_range(days, more, s, d):
    now, later = fsrs.retrievability([days, days + more], s, d)
    assert 0 < later <= now <= 1


@given(s=st.floats(0.01, 1e4), d=st.floats(1, 10), days=st.floats(1, 5e3))
def test_better_ratings_give_more_stability_and_success_never_loses_any(s, d, days):
    again, hard, good, easy = fsrs.next_stability(s, d, [1, 2, 3, 4], days=days)
    assert again <= hard <= good <= easy
    assert hard >= s
    assert again <= s


def test_the_section_table_is_the_specified_one():
    rows = {
        "SIGNALS": (2, 0.80, 30, "source", (0.15, 0.10, 0.10, 0.45, 0.10, 0.10)),
        "EPISODIC": (14, 0.50, 180, "source", (0.20, 0.15, 0.15, 0.30, 0.10, 0.10)),
        "KNOWLEDGE": (60, 0.20, 365, "target", (0.35, 0.15, 0.20, 0.05, 0.20, 0.05)),
        "PROCEDURAL": (120, 0.1542, 730, "target", (0.25, 0.25, 0.20, 0.05, 0.15, 0.10)),
    }
    for name, (stability, exponent, most, role, weights) in rows.items():
        p = SECTIONS[Section(name)]
        ranking = tuple(getattr(p.ranking, field) for field in p.ranking.__slots__)
        assert (p.stability, p.decay, p.max_stability, p.role, ranking) == (
            stability,
            exponent,
            most,
            role,
            weights,
        )
        assert sum(ranking) == pytest.approx(1.0)


def test_kinds_have_their_section_and_initial_stability():
    days = {
        "signal": 2, "watchpoint": 5, "turn_summary": 7, "event": 10, "trade_modify": 14, "session_summary": 14,
        "trade_entry": 21, "trade_close": 21, "curiosity": 14, "thesis": 30, "missed_opportunity": 30,
        "good_pass": 30, "lesson": 90, "playbook": 180, "fact": 60, "preference": 60, "note": 60, "decision": 60,
    }  # fmt: skip
    for kind, expected in days.items():
        assert initial_stability(kind, kind_profile(kind).section, 0.5) == expected
    assert kind_profile("something_else").section is Section.KNOWLEDGE
    assert kind_profile("something_else", Section.EPISODIC).stability == 14


@pytest.mark.parametrize(
    ("kind", "low", "high"),
    [("note", 0.2, 2.0), ("playbook", 0.2, 3.0), ("event", 0.2, 2.0), ("signal", 1.0, 1.0)],
)
def test_salience_scales_initial_stability(kind, low, high):
    section = kind_profile(kind).section
    neutral = initial_stability(kind, section, 0.5)
    assert initial_stability(kind, section, 0.0) == pytest.approx(neutral * low)
    assert initial_stability(kind, section, 1.0) == pytest.approx(
        min(neutral * high, SECTIONS[section].max_stability)
    )


def test_the_curve_and_the_rules_give_arrays_what_they_give_numbers():
    stability, difficulty, days = (
        np.array([0.5, 20.0, 300.0]),
        np.array([1.0, 5.0, 10.0]),
        np.array([0.0, 7.0, 90.0]),
    )
    rating, exponent = np.array([1, 3, 4]), np.array([0.8, 0.5, 0.1542])
    calls = {
        "curve": lambda s, d, t, g, e: fsrs.retrievability(t, s, e),
        "factor": lambda s, d, t, g, e: fsrs.curve_factor(e),
        "until": lambda s, d, t, g, e: fsrs.days_until(0.8, s, e),
        "difficulty": lambda s, d, t, g, e: fsrs.next_difficulty(d, g),
        "stability": lambda s, d, t, g, e: fsrs.next_stability(s, d, g, days=t, decay=e),
    }
    for name, call in calls.items():
        one_by_one = [
            float(call(*values))
            for values in zip(stability, difficulty, days, rating, exponent, strict=True)
        ]
        assert call(stability, difficulty, days, rating, exponent).tolist() == pytest.approx(
            one_by_one
        ), name
