"""Every rule says why in words, and gives one of four reasons."""

from __future__ import annotations

import pkgutil

import pytest

from glymph.model import Lifecycle
from glymph.prune import rules
from glymph.prune.rules import REASONS, Candidate, Thresholds, fired, reason_of


def candidate(**facts):
    fresh = {
        "lifecycle": Lifecycle.ACTIVE,
        "age_days": 5,
        "days_since_use": 1,
        "access_count": 2,
        "connections": 2,
    }
    return Candidate(**(fresh | facts))


CASES = {
    "expired": {"expired": True},
    "superseded": {"superseded": True},
    "duplicate": {"redundancy": 0.95, "repeats": "the other"},
    "unaligned": {"alignment": 0.1},
    "orphan": {"connections": 0, "days_since_use": 45},
    "dead_group": {
        "group_dormant": 1.0,
        "group_size": 4,
        "days_since_use": 45,
        "lifecycle": Lifecycle.DORMANT,
    },
    "faded": {"lifecycle": Lifecycle.DORMANT, "days_since_use": 45},
    "untouched": {"days_since_use": 45},
}


def test_every_file_is_a_rule_with_a_case_here():
    assert {module.name for module in pkgutil.iter_modules(rules.__path__)} == set(CASES)
    assert {rule.name for rule in rules.rules()} == set(CASES)
    assert all(rule.reason in REASONS for rule in rules.rules())


@pytest.mark.parametrize("name", CASES)
def test_a_rule_fires_for_its_case_and_says_why(name):
    found = {rule.name: why for rule, why in fired(candidate(**CASES[name]))}
    assert found[name]
    assert reason_of(candidate(**CASES[name])) in REASONS


def test_no_rule_fires_for_what_is_fresh_and_linked():
    assert fired(candidate()) == []
    assert reason_of(candidate()) is None


def test_without_goals_nothing_is_unaligned():
    assert reason_of(candidate(alignment=None)) is None
    assert reason_of(candidate(alignment=0.4)) is None
    assert reason_of(candidate(alignment=0.39)) == "low_alignment"


def test_thresholds_are_the_callers():
    stale = candidate(days_since_use=20)
    assert reason_of(stale) is None
    assert reason_of(stale, Thresholds(stale_days=20)) == "staleness"


def test_the_most_telling_rule_gives_the_reason():
    both = candidate(expired=True, connections=0, days_since_use=300, redundancy=1.0)
    assert next(rule.name for rule, _ in fired(both)) == "expired"
    assert reason_of(both) == "staleness"
