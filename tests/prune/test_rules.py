"""Every rule says why in words, gives one of four reasons, and decides wherever it is meant to."""

from __future__ import annotations

import pkgutil

import numpy as np
import pytest

from glymph.errors import BadExtension
from glymph.extensions import ExtensionPoint
from glymph.prune import rules as table
from glymph.prune.rules import REASONS, Facts, Rule, Thresholds, apply_rules, rules
from tests.grounds.pruning import chained, install_extension, remembered, used

FRESH = {
    "retrievability": 0.99, "age_days": 5.0, "days_since_use": 1.0,
    "access_count": 2, "connections": 2,
}  # fmt: skip
DORMANT = 0.5
CASES = {
    "expired": {"expired": True},
    "superseded": {"superseded": True},
    "duplicate": {"redundancy": 0.95},
    "past_retention": {"age_days": 90.0, "retention_days": 60.0},
    "passing": {"passing": 0.9},
    "day_over": {"over": True},
    "unaligned": {"alignment": 0.1, "days_since_use": 45.0},
    "orphan": {"connections": 0, "access_count": 0, "days_since_use": 45.0},
    "dead_group": {
        "group_dormant": 1.0,
        "group_size": 4,
        "days_since_use": 45.0,
        "retrievability": DORMANT,
    },
    "faded": {"retrievability": DORMANT, "days_since_use": 45.0},
    "episode": {"source": True},
    "untouched": {"days_since_use": 45.0},
}


def facts(*several):
    """The facts of memories that are fresh and linked but for what is given."""
    columns = {name: [one.get(name, value) for one in several] for name, value in FRESH.items()}
    for name in {name for one in several for name in one} - FRESH.keys():
        blank = getattr(Facts.about(1), name)[0]
        columns[name] = [one.get(name, blank) for one in several]
    return Facts.about(len(several), **columns)


def names(case, use="candidates", thresholds=None):
    return [rule.name for rule, _ in apply_rules(facts(case), use, thresholds).explain(0)]


def reason(case, thresholds=None):
    found = apply_rules(facts(case), "candidates", thresholds)
    first = found.find_first()[0]
    return None if first < 0 else found.rules[first].reason


def test_every_file_is_a_rule_with_a_case_here():
    assert {module.name for module in pkgutil.iter_modules(table.__path__)} == set(CASES)
    assert {rule.name for rule in rules()} == set(CASES)
    assert all(rule.reason in REASONS for rule in rules())


@pytest.mark.parametrize("name", CASES)
def test_a_rule_holds_for_its_case_alone_and_says_why(name):
    rule = table.RULES.members[name]
    both = facts(CASES[name], {})
    assert rule.holds(both, Thresholds()).tolist() == [True, False]
    assert rule.explain(both, 0)


@pytest.mark.parametrize("name", CASES)
def test_a_rule_selects_or_explains_somewhere(name):
    rule = table.RULES.members[name]
    assert rule.selects | rule.explains
    for use in rule.explains:
        assert name in names(CASES[name], use)


def test_no_rule_speaks_of_what_is_fresh_and_linked():
    for use in table.EVERYWHERE:
        assert names({}, use) == []
    assert reason({}) is None


def test_without_goals_nothing_is_unaligned():
    assert reason({"alignment": np.nan}) is None
    assert reason({"alignment": 0.4}) is None
    assert reason({"alignment": 0.39, "days_since_use": 45.0}) == "low_alignment"


def test_thresholds_are_the_callers():
    stale = {"days_since_use": 20.0}
    assert reason(stale) is None
    assert reason(stale, Thresholds(stale_days=20)) == "staleness"


def test_the_most_telling_rule_gives_the_reason():
    alone = {"connections": 0, "access_count": 0, "days_since_use": 300.0}
    both = {"expired": True, "redundancy": 1.0, **alone}
    assert names(both) == ["expired", "duplicate", "orphan", "untouched"]
    assert reason(both) == "staleness"


def test_many_memories_are_judged_at_once():
    found = apply_rules(facts(*CASES.values(), {}), "candidates")
    selected = dict(zip([*CASES, "fresh"], (found.find_first() >= 0).tolist(), strict=True))
    assert selected == {
        name: name in CASES
        and name not in ("past_retention", "passing", "day_over", "episode")  # of lifecycle alone
        for name in [*CASES, "fresh"]
    }


def test_what_is_not_known_lets_nothing_go():
    for use in table.EVERYWHERE:
        assert apply_rules(Facts.about(2), use).find_first().tolist() == [-1, -1]


# rules of others

OLD_ERRAND = """
import numpy as np
from glymph.prune.rules import Rule

def holds(facts, least):
    return facts.is_kind("errand", "chore") & (facts.age_days >= 5)

def explain(facts, at):
    return f"an errand of {facts.age_days[at]:.0f} days ago"

RULE = Rule("old_errand", "orphan", 5, holds, explain)
"""


@pytest.fixture
def errands(tmp_path, monkeypatch):
    """A package that brings a rule of its own."""
    install_extension(
        tmp_path, monkeypatch, "errands", OLD_ERRAND, "glymph.rules", "old_errand", "RULE"
    )
    point = ExtensionPoint("glymph.rules", Rule, package=table.__name__, attribute="RULE")
    monkeypatch.setattr(table, "RULES", point)


def test_a_rule_of_a_package_chooses_candidates_and_explains_them(errands, glymph, clock):
    errand, other = remembered(glymph, 1, kind="errand") + remembered(glymph, 1, word="Box")
    clock.advance(days=6)
    assert other not in {one.memory_id for one in glymph.candidates().candidates}
    (found,) = glymph.candidates().candidates
    assert (found.memory_id, found.reason) == (errand, "orphan")
    assert found.why == ("an errand of 6 days ago",)
    assert glymph.candidates().summary["by_reason"]["orphan"] == 1


def test_a_rule_of_a_package_adds_to_a_plan_what_it_selects_and_says_why(errands, glymph, clock):
    errand, *others = chained(
        glymph, remembered(glymph, 1, kind="errand") + remembered(glymph, 2, word="Box")
    )
    clock.advance(days=6)
    for one in (errand, *others):
        used(glymph, one)
    plan = glymph.analyze(min_staleness=0.9)
    (group,) = plan.groups
    assert group.node_ids == (errand,)  # the others of its group are fresh
    assert group.nodes[0].rules == ("old_errand",)
    assert group.reasons == ("1 old errand",)
    assert "an errand of 6 days ago" in plan.text
    assert glymph.prune(plan).succeeded == (errand,)


@pytest.mark.parametrize("grouping", ["tag", "session"])
def test_a_rule_of_a_package_adds_to_a_plan_by_any_grouping(errands, glymph, clock, grouping):
    errand = remembered(glymph, 1, kind="errand", tags=["home"], session="s")[0]
    remembered(glymph, 2, word="Box", tags=["home"], session="s")
    clock.advance(days=6)
    (group,) = glymph.analyze(min_staleness=0.9, grouping=grouping).groups
    assert group.node_ids == (errand,)


def test_a_rule_of_a_package_is_a_second_reason_of_lifecycle(errands, glymph, clock):
    chore, other = (
        glymph.add("The porter keeps the key of the archive", kind="chore", section="knowledge").id,
        glymph.add("Penguins swim under the northern pier at noon", kind="fact").id,
    )
    clock.advance(days=720)
    done = glymph.lifecycle()
    assert [one.id for one in done.archived] == [chore]
    assert done.archived[0].reason.endswith("; an errand of 720 days ago")
    assert glymph.get(other).state == "LIVE"


def test_no_rule_of_a_package_gets_past_a_guard(errands, glymph, clock):
    pinned, young = remembered(glymph, 1, kind="errand") + remembered(glymph, 1, word="Box")
    glymph.pin(pinned)
    clock.advance(days=720)
    glymph.update(young, tags=["new"])
    assert pinned not in {one.memory_id for one in glymph.candidates().candidates}
    assert pinned not in {one.id for one in glymph.lifecycle().archived}


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        (Rule("other", "orphan", 5, lambda *_: True, lambda *_: ""), "calls itself 'other'"),
        (Rule("mine", "boredom", 5, lambda *_: True, lambda *_: ""), "is no reason; use one of"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_by_name(monkeypatch, rule, problem):
    point = ExtensionPoint("glymph.rules", Rule, package=table.__name__, attribute="RULE")
    point.members = {"mine": rule}
    monkeypatch.setattr(table, "RULES", point)
    with pytest.raises(BadExtension, match=problem):
        rules()
