"""What is vital to somebody: in no default selection, and gone only where somebody names it."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from glymph import Glymph
from glymph.config import Settings
from glymph.store.guards import MAY_BE_VITAL, STANDING_GOAL, STILL_TO_COME
from glymph.write.grading import is_vital, weigh
from tests.grounds.reading import GradingReader


@pytest.fixture
def graded(url, clock):
    """A handle with a reader that grades, over four chained memories that nobody used for long."""
    settings = Settings.parse({"compare": "off", "junk_gate": "off"})
    with Glymph.open(url, clock=clock, settings=settings, reader=GradingReader()) as handle:
        ids = [handle.add(f"{word} words {n}", kind="note").id for n, word in enumerate(WORDS)]
        for one, other in pairwise(ids):
            handle.link(one, other, "related_to")
        clock.advance(days=90)
        yield handle


WORDS = ("Noise", "Vital", "Passing", "Lasting")


def named(glymph, word):
    return next(one.id for one in glymph.list() if one.text.startswith(word))


def test_a_plan_shows_it_and_says_that_it_stays(graded):
    plan = graded.analyze()
    blocked = {node.title: node.blocked for group in plan.groups for node in group.nodes}
    assert blocked == {
        f"{word} words {n}": MAY_BE_VITAL if word == "Vital" else None
        for n, word in enumerate(WORDS)
    }
    assert "it may be vital to somebody" in plan.text


def test_a_plan_lists_noise_and_what_passes_before_what_lasts_and_tells_as_much(graded):
    worths = {node.title: node.worth for group in graded.analyze().groups for node in group.nodes}
    assert worths["Noise words 0"] + 0.09 < worths["Passing words 2"]
    assert worths["Passing words 2"] + 0.09 < worths["Lasting words 3"]


def test_pruning_a_plan_leaves_it_and_naming_it_does_not(graded):
    vital = named(graded, "Vital")
    plan = graded.analyze()
    receipt = graded.prune(plan.id, groups=[1])
    assert [(one.id, one.reason) for one in receipt.skipped] == [(vital, MAY_BE_VITAL)]
    assert {one.text for one in graded.list()} == {"Vital words 1"}
    graded.archive([vital])
    assert graded.get(vital).state == "ARCHIVED"


def test_a_goal_stands_in_every_report_until_somebody_names_it(graded, clock):
    goal = graded.add("A noise goal to be reached", kind="goal").id
    graded.link(goal, named(graded, "Noise"), "related_to")
    clock.advance(days=90)
    plan = graded.analyze(include_isolated=True, min_staleness=0.0)
    members = {node.id: node for group in plan.groups for node in group.nodes}
    assert members[goal].blocked == STANDING_GOAL
    assert goal not in {one.memory_id for one in graded.candidates(limit=100).candidates}
    graded.prune(plan.id)
    assert graded.get(goal).state == "LIVE"
    graded.archive([goal])
    assert graded.get(goal).state == "ARCHIVED"


DAYS = {  # told in April; whether it stays in the middle of May
    "Noise: the recital is on 20 May 2026": True,
    "Noise: the recital was on 20 March 2026": False,
    "Noise of the figures for 20 May 2026": False,
}


def test_a_day_to_come_stays_in_every_report_until_it_is_over(graded, clock):
    told = [graded.add(text, kind="signal" if "figures" in text else "event").id for text in DAYS]
    told.append(graded.add("Noise of a recital", kind="event", event_at=clock() + timedelta(50)).id)
    clock.advance(days=40)
    plan = graded.analyze(include_isolated=True, min_staleness=0.0)
    blocked = {node.id: node.blocked for group in plan.groups for node in group.nodes}
    stays = [*DAYS.values(), True]
    assert [blocked[one] == STILL_TO_COME for one in told] == stays
    listed = {one.memory_id for one in graded.candidates(limit=100).candidates}
    assert [one not in listed for one in told] == stays
    gone = {one.id for one in graded.lifecycle(dry_run=True).archived}
    assert [one not in gone for one in told] == stays
    clock.advance(days=60)
    assert set(told) <= {one.id for one in graded.lifecycle(dry_run=True).archived}


def test_whoever_gives_its_id_among_many_means_it(graded):
    many = [graded.add(f"Lasting words {n}", kind="note").id for n in range(10, 20)]
    vital = named(graded, "Vital")
    receipt = graded.archive([vital, *many])
    assert MAY_BE_VITAL not in {one.reason for one in receipt.skipped}
    assert graded.get(vital).state == "ARCHIVED"


def test_it_is_no_candidate(graded):
    listed = {one.title for one in graded.candidates(min_staleness_days=30).candidates}
    assert listed == {"Noise words 0", "Passing words 2", "Lasting words 3"}


def test_it_is_pruned_by_a_plan_once_it_is_out_of_date(graded, clock):
    new = graded.add("Vital words that are newer", kind="note").id
    graded.link(new, named(graded, "Vital words 1"), "supersedes")
    clock.advance(days=90)
    plan = graded.analyze()
    old = [n for group in plan.groups for n in group.nodes if n.title == "Vital words 1"]
    assert [node.blocked for node in old] == [None]


@pytest.mark.parametrize(
    ("kind", "goes"),
    [("signal", True), ("trade_close", True), ("event", False), ("session_summary", False)],
)
def test_a_record_of_a_moment_fades_whatever_its_text_reads_like(graded, clock, kind, goes):
    """Figures with a day read like appointments; what happened may be vital all the same."""
    told = graded.add("Vital figures of a day", kind=kind).id
    clock.advance(days=400)
    graded.lifecycle()
    assert (graded.get(told).state == "ARCHIVED") is goes


def test_an_episode_is_vital_only_where_it_is_plainly_so(graded):
    grade = (0.0, 0.1, 0.75, 0.15)
    rows = {"note": "KNOWLEDGE", "event": "EPISODIC", "signal": "SIGNALS"}
    found = {k: weigh(grade, {"kind": k, "section": s}) for k, s in rows.items()}
    assert found["note"] == grade
    assert [is_vital(found[kind]) for kind in rows] == [True, False, False]
    assert all(sum(one) == pytest.approx(1) for one in found.values())
