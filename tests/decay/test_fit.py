"""A curve fitted to what was used is near the one behind it, and modest.

It is judged on days it never saw.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from glymph.decay import fsrs
from glymph.decay.fit import DECAYS, SCALES, Observation, fit_section, is_plausible
from glymph.decay.lifecycle import DEFAULT_CURVES, Curve
from glymph.decay.sections import SECTIONS, Section

DAYS = 40


def drawn(curve, *, section=Section.KNOWLEDGE, share=0.7, count=20_000, days=DAYS, seed=3):
    """Observations of a section whose memories are used by chance, as a known curve has it."""
    chance = np.random.default_rng(seed)
    stability = SECTIONS[section].stability * chance.uniform(0.5, 2.0, count)
    elapsed = stability * chance.uniform(0.0, 5.0, count)
    used = chance.random(count) < share * fsrs.retrievability(
        elapsed, stability * curve.scale, curve.decay
    )
    return [
        Observation(i * days // count, float(elapsed[i]), float(stability[i]), bool(used[i]))
        for i in range(count)
    ]


def fit(seen, section=Section.KNOWLEDGE, before=None):
    return fit_section(section, seen, before=before or DEFAULT_CURVES[section])


@pytest.mark.parametrize(
    ("section", "curve"),
    [
        (Section.KNOWLEDGE, Curve(0.6, 0.3)),
        (Section.KNOWLEDGE, Curve(0.2, 4.0)),
        (Section.SIGNALS, Curve(0.5, 2.0)),
        (Section.EPISODIC, Curve(1.0, 0.5)),
        (Section.PROCEDURAL, Curve(0.3, 0.2)),
    ],
)
def test_the_curve_behind_the_data_is_recovered(section, curve):
    found = fit(drawn(curve, section=section), section)
    elapsed = np.linspace(0.0, 5.0, 50)
    told = fsrs.retrievability(elapsed, found.after.scale, found.after.decay)
    assert told == pytest.approx(fsrs.retrievability(elapsed, curve.scale, curve.decay), abs=0.05)
    assert found.after.scale == pytest.approx(curve.scale, rel=0.35)
    assert found.better
    assert found.log_loss_after < found.log_loss_before - 1e-3
    assert found.note == "better on the held-out days"


@pytest.mark.parametrize("section", list(Section))
def test_a_section_that_fades_as_it_should_is_left_as_it_is(section):
    found = fit(drawn(DEFAULT_CURVES[section], section=section), section)
    assert (found.after.decay, found.after.scale) == pytest.approx(
        (SECTIONS[section].decay, 1.0), rel=0.25
    )
    assert not found.better
    assert found.note == "no better on the held-out days"


def test_little_data_changes_little():
    """The same truth, seen a hundred and twenty thousand times."""
    few, many = (fit(drawn(Curve(0.6, 0.3), count=count)).after for count in (120, 20_000))
    assert few.scale > 0.7
    assert many.scale < 0.4


def test_the_newest_quarter_of_the_days_is_held_out():
    seen = drawn(Curve(0.6, 0.3), count=2_000, days=9)

    def turned(*days):
        return fit([replace(o, used=not o.used) if o.day in days else o for o in seen])

    found = fit(seen)
    assert found.days == 9
    assert turned(7, 8).after == found.after
    assert turned(7, 8).log_loss_after != found.log_loss_after
    assert turned(6).after != found.after


def test_it_is_compared_with_the_curve_in_force():
    seen = drawn(Curve(0.6, 0.3), count=2_000)
    adopted = fit(seen).after
    again = fit(seen, before=adopted)
    assert again.before == again.after == adopted
    assert again.log_loss_before == pytest.approx(again.log_loss_after, abs=1e-4)
    assert not again.better


def many(used, unused, days):
    outcomes = [True] * used + [False] * unused
    return [Observation(at % days, 1.0, 60.0, used) for at, used in enumerate(outcomes)]


@pytest.mark.parametrize(
    ("seen", "note"),
    [
        ([], "not enough yet: 0 of 100 observations"),
        (
            many(2, 1, 2),
            "not enough yet: 3 of 100 observations, 2 of 10 used, 1 of 10 not used, 2 of 4 days",
        ),
        (many(20, 17, 5), "not enough yet: 37 of 100 observations"),
        (many(100, 9, 5), "not enough yet: 9 of 10 not used"),
        (many(3, 150, 5), "not enough yet: 3 of 10 used"),
        (many(60, 60, 3), "not enough yet: 3 of 4 days"),
    ],
)
def test_too_little_says_what_is_missing(seen, note):
    found = fit(seen)
    assert found.note == note
    assert (found.after, found.log_loss_before, found.log_loss_after, found.better) == (
        None,
        None,
        None,
        False,
    )
    assert (found.observations, found.used) == (len(seen), sum(o.used for o in seen))


def test_a_hundred_observations_on_four_days_are_enough():
    assert fit(many(10, 90, 4)).after is not None


observation = st.builds(
    Observation,
    day=st.integers(0, 5),
    days=st.sampled_from([0.0, 0.5, 3.0, 400.0, 36_500.0]),
    stability=st.sampled_from([0.001, 2.0, 60.0, 730.0]),
    used=st.booleans(),
)


@settings(max_examples=25)
@given(section=st.sampled_from(Section), seen=st.lists(observation, min_size=120, max_size=160))
def test_whatever_is_found_is_a_plausible_curve(section, seen):
    found = fit(seen, section)
    if found.after is not None:
        assert is_plausible(found.after)
        assert np.isfinite([found.log_loss_before, found.log_loss_after]).all()


def test_what_no_fit_finds_is_not_plausible():
    assert is_plausible(Curve(DECAYS[0], SCALES[1]))
    for curve in (
        Curve(0.01),
        Curve(2.0),
        Curve(0.2, 0.01),
        Curve(0.2, 11.0),
        Curve(0.2, float("nan")),
    ):
        assert not is_plausible(curve)
