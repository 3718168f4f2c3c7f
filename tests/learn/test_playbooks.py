"""Playbooks in a store: made of what proved itself.

Counted on as more happens, and found by the situation.
"""

from __future__ import annotations

import pytest

from glymph import errors
from tests.grounds.learning import closed, evidence_of, lessons, opened, pattern, shown

__all__ = ["opened"]
FITS = {"funding": 0.1}


def counts(glymph, memory_id):
    kept = glymph.get(memory_id).attributes["playbook"]
    return kept["successes"], kept["n"]


def made(opened, clock, wins=8, losses=0, **other):
    glymph, _ = opened(lambda messages, schema: pattern(messages, **other))
    closed(glymph, clock, *range(1, wins + 1))
    closed(glymph, clock, *range(20, 20 + losses), won=False) if losses else None
    (one,) = glymph.consolidate().groups
    return glymph, one.lesson


@pytest.mark.parametrize(
    ("wins", "losses", "other", "kind"),
    [
        (8, 0, {}, "playbook"),
        (7, 0, {}, "lesson"),  # too few
        (8, 3, {}, "playbook"),  # 73 %
        (7, 4, {}, "lesson"),  # 64 %
        (9, 0, {"direction": ""}, "lesson"),
        (9, 0, {"direction": "long"}, "lesson"),  # which is not what was done
    ],
)
def test_eight_outcomes_seventy_per_cent_a_trigger_and_a_direction_make_a_playbook(
    opened, clock, wins, losses, other, kind
):
    glymph, lesson = made(opened, clock, wins, losses, **other)
    assert glymph.get(lesson).kind == kind


def test_more_than_were_shown_are_counted_and_linked(opened, clock):
    glymph, lesson = made(opened, clock, 20)
    assert counts(glymph, lesson) == (20, 20)
    assert len(evidence_of(glymph, lesson)) == 20


def test_a_lesson_that_grows_into_a_playbook_keeps_its_id_and_its_links(opened, clock):
    glymph, lesson = made(opened, clock, 5)
    before = evidence_of(glymph, lesson)
    closed(glymph, clock, 6, 7, 8)
    (one,) = glymph.consolidate().groups
    assert (one.lesson, one.ending) == (lesson, "strengthened")
    memory = glymph.get(lesson)
    assert (memory.kind, memory.section) == ("playbook", "PROCEDURAL")
    assert set(before) < set(evidence_of(glymph, lesson))
    assert counts(glymph, lesson) == (8, 8)


def test_later_outcomes_count_exactly_once(opened, clock):
    glymph, lesson = made(opened, clock, 8)
    clock.advance(days=1)
    closed(glymph, clock, 9)
    (lost,) = closed(glymph, clock, 10, won=False)
    done = glymph.consolidate()
    assert (done.playbooks_updated, counts(glymph, lesson)) == (1, (9, 10))
    assert lost in evidence_of(glymph, lesson)
    clock.advance(hours=1)
    glymph.update(lost, title="BTC short close #10, corrected")
    for _ in range(3):
        glymph.consolidate()
    assert counts(glymph, lesson) == (9, 10)


def test_an_outcome_that_is_corrected_corrects_the_counts(opened, clock):
    glymph, lesson = made(opened, clock, 8)
    clock.advance(days=1)
    (last,) = closed(glymph, clock, 9)
    glymph.consolidate()
    assert counts(glymph, lesson) == (9, 9)
    first = next(iter(set(evidence_of(glymph, lesson)) - {last}))
    for wrong in (first, last):
        clock.advance(hours=1)
        told = glymph.get(wrong).attributes
        glymph.update(wrong, attributes={**told, "pnl_pct": -3.0})
    done = glymph.consolidate()
    assert counts(glymph, lesson) == (7, 9)
    assert glymph.get(lesson).attributes["evidence"]["failures"] == 2
    glymph.consolidate()
    assert counts(glymph, lesson) == (7, 9)
    glymph.undo(done.operation_id)
    assert counts(glymph, lesson) == (9, 9)


def test_late_told_and_late_ended_episodes_count_as_well(opened, clock):
    glymph, lesson = made(opened, clock, 8)
    clock.advance(days=1)
    closed(glymph, clock, 9, event_at=clock.now.replace(hour=1))
    (open_one,) = closed(glymph, clock, 11, attributes={"pnl_pct": None, "outcome": "open"})
    glymph.consolidate()
    assert counts(glymph, lesson) == (9, 9)
    clock.advance(hours=1)
    kept = {**glymph.get(open_one).attributes, "pnl_pct": 4.0, "outcome": "won"}
    glymph.update(open_one, attributes=kept)
    glymph.consolidate()
    assert counts(glymph, lesson) == (10, 10)


def test_only_episodes_of_its_group_done_its_way_under_its_conditions_count(opened, clock):
    glymph, lesson = made(opened, clock, 8)
    clock.advance(days=1)
    closed(glymph, clock, 1, 2, 3, symbol="ETH")
    closed(glymph, clock, 9, attributes={"direction": "long"})
    closed(glymph, clock, 12, attributes={"funding": 0.01})
    glymph.consolidate()
    assert counts(glymph, lesson) == (8, 8)


def test_counts_do_not_shrink_when_old_episodes_leave_the_look_back(opened, clock):
    glymph, lesson = made(opened, clock, 12)
    clock.advance(days=20)
    closed(glymph, clock, 13, 14, 15)
    (one,) = glymph.consolidate().groups
    assert (one.lesson, counts(glymph, lesson)) == (lesson, (15, 15))


def test_undo_takes_the_counts_back(opened, clock):
    glymph, lesson = made(opened, clock, 8)
    clock.advance(days=1)
    closed(glymph, clock, 9)
    done = glymph.consolidate()
    glymph.undo(done.operation_id)
    assert counts(glymph, lesson) == (8, 8)


def test_playbooks_are_ranked_by_success_times_fit_times_how_often(opened, clock):
    glymph, _ = opened(pattern)
    closed(glymph, clock, *range(1, 13))
    closed(glymph, clock, *range(1, 9), symbol="ETH")
    glymph.consolidate()
    assert {one.kind for one in lessons(glymph)} == {"playbook"}
    found = glymph.match_playbooks("funding is high", attributes=FITS)
    assert [one.title.split()[0] for one in found] == ["BTC", "ETH"]
    assert found[0].score > found[1].score
    for one in found:
        assert one.score == pytest.approx(
            one.success_rate * one.fit * min(1, one.outcomes / 10), abs=1e-3
        )
    assert [
        one.title.split()[0]
        for one in glymph.match_playbooks("ETH funding is high", attributes=FITS)
    ] == ["ETH"]
    assert len(glymph.match_playbooks("funding is high", attributes=FITS, limit=1)) == 1
    assert glymph.match_playbooks("BTC funding is high", attributes={"funding": 0.01}) == []
    assert glymph.match_playbooks("the kettle boils") == []


def test_what_cannot_be_matched_is_passed_over(opened, clock):
    glymph, _ = opened()
    odd = [{}, {"playbook": 3}, {"playbook": {"conditions": [1]}}, {"playbook": {"n": "many"}},
           {"playbook": {"conditions": [["funding", "~", 1]]}}, {"playbook": {"terms": 4}}]  # fmt: skip
    for n, attributes in enumerate(odd):
        glymph.add(f"Do the rain dance number {n}", kind="playbook", attributes=attributes)
    assert glymph.match_playbooks("rain dance") == []
    for situation in ("", " ", "x" * 10_001):
        with pytest.raises(errors.InvalidInput):
            glymph.match_playbooks(situation)
    with pytest.raises(errors.InvalidInput):
        glymph.match_playbooks("rain", limit=0)


def plainly(messages, schema=None):
    """A true pattern without a condition."""
    told = shown(messages)
    won = sum(one["outcome"] == "success" for one in told)
    said = f"I won {won} of {len(told)} BTC short trades."
    claim = {"text": said, "measure": "successes", "where": [], "stated": won, "out_of": len(told),
             "episodes": [one["id"] for one in told]}  # fmt: skip
    return {
        **pattern(messages),
        "body": f"{said} I keep to this rule and size by it.",
        "claims": [claim],
    }


def test_a_playbook_without_conditions_learns_of_losses_and_is_no_longer_matched(opened, clock):
    glymph, _ = opened(plainly)
    closed(glymph, clock, *range(1, 10))
    (one,) = glymph.consolidate().groups
    assert counts(glymph, one.lesson) == (9, 9)
    closed(glymph, clock, 10, 11, won=False)
    (again,) = glymph.consolidate().groups
    assert (again.ending, counts(glymph, one.lesson)) == ("strengthened", (9, 11))
    assert [found.id for found in glymph.match_playbooks("BTC funding is high")] == [one.lesson]
    closed(glymph, clock, *range(12, 24), won=False)
    glymph.consolidate()
    assert glymph.match_playbooks("BTC funding is high") == []


def test_a_playbook_that_goes_wrong_too_often_is_not_matched(opened, clock):
    glymph, lesson = made(opened, clock, 8)
    clock.advance(days=1)
    closed(glymph, clock, *range(20, 25), won=False)
    glymph.consolidate()
    assert counts(glymph, lesson) == (8, 13)
    assert lesson not in [
        one.id for one in glymph.match_playbooks("BTC funding is high", attributes=FITS)
    ]


def test_a_playbook_of_all_groups_is_counted_on_though_a_model_looks_at_them(opened, clock):
    def put(glymph, count, good):
        for n in range(count):
            clock.advance(minutes=20)
            told = {"symbol": ("ETH", "BTC", "SOL")[n % 3], "x": "ab"[n % 2], "direction": "short"}
            told["success"] = n % 2 == 1 and good
            glymph.add(f"Closed number {n} {clock.now}", kind="trade_close", attributes=told)

    plain, _ = opened()
    put(plain, 42, True)
    plain.consolidate()
    (kept,) = [one for one in lessons(plain) if one.attributes["group"] == "_all"]
    assert counts(plain, kept.id) == (21, 21)
    glymph, _ = opened(lambda messages, schema: {"pattern": False})
    clock.advance(days=1)
    put(glymph, 20, False)
    assert glymph.consolidate().playbooks_updated == 1
    assert counts(glymph, kept.id) == (21, 31)
    assert glymph.get(kept.id).text == f"{kept.text} By now it is 21 of 31 (68 %)."
    put(glymph, 20, False)
    glymph.consolidate()
    assert glymph.get(kept.id).text == f"{kept.text} By now it is 21 of 41 (51 %)."


def test_a_playbook_that_counted_on_is_strengthened_by_what_it_knows_already_and_says_so(
    opened, clock
):
    glymph, lesson = made(opened, clock, 12)
    clock.advance(days=1)
    closed(glymph, clock, *range(20, 24), won=False)
    (one,) = glymph.consolidate().groups
    assert (one.ending, one.lesson, counts(glymph, lesson)) == ("strengthened", lesson, (12, 16))
    assert "11 of 15" in glymph.get(lesson).text
    assert len(lessons(glymph)) == 1
