"""Lessons that become playbooks, and the playbooks that fit a situation."""

from __future__ import annotations

import pytest

from glymph.learn.conditions import Condition
from glymph.learn.episodes import make_episode
from glymph.learn.evidence import verify
from glymph.learn.lesson import Claim, Pattern
from glymph.learn.playbook import Playbook, fit, match, otherwise, promote, promoted_from

HIGH = Condition("funding", ">", 0.08)


def playbook(id="p", terms=("funding", "squeeze"), conditions=(), successes=9, n=12):
    return Playbook(id, "Squeeze", frozenset(terms), tuple(conditions), "short", successes, n)


def situation(title="", **attributes):
    return make_episode("now", "signal", 0, title, attributes=attributes)


@pytest.mark.parametrize(
    ("successes", "n", "trigger", "conditions", "direction", "becomes"),
    [
        (7, 10, "funding squeeze", (), "short", True),
        (6, 8, "", (HIGH,), "short", True),
        (7, 7, "funding squeeze", (), "short", False),
        (5, 8, "funding squeeze", (), "short", False),
        (8, 8, "", (), "short", False),
        (8, 8, "funding squeeze", (), None, False),
        (8, 8, "of the", (), "short", False),
    ],
)
def test_a_playbook_has_eight_outcomes_seventy_per_cent_a_trigger_and_a_direction(
    successes, n, trigger, conditions, direction, becomes
):
    found = promoted_from("p", "Squeeze", trigger, conditions, direction, successes, n)
    assert (found is not None) is becomes


def test_a_verified_lesson_is_promoted_by_counts_over_all_episodes_of_the_group():
    episodes = [
        make_episode(
            f"id{n}",
            "trade_close",
            n,
            "BTC short",
            attributes={"side": "short", "funding": 0.09, "pnl": 1 if n % 5 else -1},
        )
        for n in range(1, 21)
    ]
    shown = episodes[:10]
    said = "With funding above 0.08, 8 of 10 shorts won."
    claim = Claim(said, "successes", ("id1", "id2", "id3"), where=(HIGH,), stated=8, out_of=10)
    body = f"{said} I take them early and keep the size small."
    lesson = verify(Pattern("Squeeze", body, (claim,), "funding above 0.08", "short"), shown)
    found = promote("p", lesson, episodes)
    assert found is not None
    assert (found.successes, found.n, found.direction) == (16, 20, "short")
    assert HIGH in found.conditions
    assert promote("p", lesson, shown[:6]) is None
    wrong = verify(Pattern("Squeeze", body, (claim,), "funding above 0.08", "long"), shown)
    assert promote("p", wrong, episodes) is None


def test_a_situation_is_matched_by_rate_times_fit_times_how_often_it_was_tried():
    proven, young = playbook("a", successes=16, n=20), playbook("b", successes=5, n=5)
    half, other = playbook("c", terms=("funding", "breakout")), playbook("d", terms=("earnings",))
    found = match([young, proven, half, other], situation("Funding squeeze on BTC"))
    assert [(one.playbook.id, one.fit, round(one.score, 3)) for one in found] == [
        ("a", 1.0, 0.8),
        ("b", 1.0, 0.5),
        ("c", 0.5, 0.375),
    ]


def test_a_condition_that_does_not_hold_rules_a_playbook_out_and_one_not_told_counts_as_not_met():
    one = playbook(terms=(), conditions=[HIGH, Condition("side", "=", "short")])
    assert fit(one, situation(funding=0.09, side="short")) == 1.0
    assert fit(one, situation(funding=0.09)) == 0.5
    assert fit(one, situation(funding=0.01, side="short")) == 0.0
    assert match([one], situation(funding=0.01, side="short")) == []


def test_plurals_and_names_of_values_fit_as_well():
    assert fit(playbook(terms=("squeezes", "funding")), situation("Squeeze", funding=0.1)) == 1.0


def test_later_outcomes_change_the_counts():
    one = playbook(successes=9, n=12)
    assert (one.after(True).successes, one.after(True).n) == (10, 13)
    assert (one.after(False).successes, one.after(False).n) == (9, 13)
    assert one.after(None) == one


def trades(*counts):
    """Trades of a direction, so many won and so many lost."""
    ends = [(way, won) for way, wins, losses in counts for won in [True] * wins + [False] * losses]
    return [
        make_episode(
            f"e{n}",
            "trade_close",
            n,
            f"ETH {way}",
            attributes={"direction": way, "funding": 0.09, "success": won},
        )
        for n, (way, won) in enumerate(ends)
    ]


def test_episodes_done_the_other_way_do_not_promote():
    said = "With funding above 0.08, 9 of 10 trades won."
    episodes = trades(("long", 6, 1), ("short", 3, 0))
    claim = Claim(said, "successes", ("e0", "e1", "e2"), where=(HIGH,), stated=9, out_of=10)
    lesson = verify(
        Pattern("T", f"{said} I keep to it and size by it.", (claim,), "high", "short"), episodes
    )
    assert (lesson.direction, promote("p", lesson, episodes)) == ("short", None)
    found = promote("p", lesson, [*episodes, *trades(("short", 6, 1))])
    assert found is not None
    assert (found.successes, found.n) == (9, 10)


def test_of_claims_about_both_sides_the_one_of_its_direction_counts():
    episodes = trades(("short", 9, 1), ("long", 1, 3))
    told_of = [
        ("Longs won 1 of 4 trades.", "long", 1, 4),
        ("Shorts won 9 of 10 trades.", "short", 9, 10),
    ]
    claims = tuple(
        Claim(
            said, "successes", tuple(one.id for one in episodes if one.attributes["direction"] == way),
            where=(Condition("direction", "=", way),), stated=won, out_of=n,
        )
        for said, way, won, n in told_of
    )  # fmt: skip
    body = " ".join(one.text for one in claims)
    found = promote("p", verify(Pattern("ETH", body, claims, "ETH", "short"), episodes), episodes)
    assert found is not None
    assert (found.conditions, found.successes, found.n) == (
        (Condition("direction", "=", "short"),),
        9,
        10,
    )


def test_another_way_is_told_by_what_says_which_way():
    def done(**attributes):
        return make_episode("x", "trade", 0, "t", attributes=attributes)

    assert otherwise(done(direction="long"), "short")
    assert not otherwise(done(direction="Short", setup="squeeze"), "short")
    assert not otherwise(done(setup="squeeze"), "short")
    assert otherwise(done(setup="squeeze"), "breakout")
    assert not otherwise(done(direction="short"), "enter short")
    assert not otherwise(done(), "short")
