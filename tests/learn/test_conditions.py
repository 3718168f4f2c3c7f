"""Conditions that separate success from failure, and the guard against chance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import hypergeom

from glymph.learn.conditions import Condition, between, find_separating, fisher, holm, value_of
from glymph.learn.episodes import Episode, make_episode
from glymph.learn.evidence.tally import average
from glymph.learn.lesson import lesson, phrase
from glymph.prune.outcomes import Outcome

HOUR = 3_600_000_000


def ended(number, won, *, at=None, tags=(), entities=(), kind="trade_close", **attributes):
    moment = number * 7 * HOUR if at is None else at
    return Episode(
        f"id{number}",
        kind,
        moment,
        "t",
        tags=tags,
        entities=entities,
        attributes=attributes,
        outcome=None if won is None else Outcome(won),
    )


def named(episodes, **more):
    return [(one.condition.name, one.condition.value) for one in find_separating(episodes, **more)]


def drawn(count=400, seed=1):
    random = np.random.default_rng(seed)
    return [(number, random) for number in range(count)]


def test_a_threshold_is_found_with_its_counts_and_told_in_a_sentence():
    episodes = [
        ended(n, (n % 4 != 0) if n % 10 >= 7 else n % 4 == 0, funding=n % 10 / 100)
        for n in range(200)
    ]
    (found,) = find_separating(episodes)
    assert found.condition == Condition("funding", ">", 0.065)
    assert (found.n, found.other_n) == (60, 140)
    assert len(found.episodes) == 60
    assert found.lift == pytest.approx(found.rate - found.other_rate)
    said = lesson(found, episodes, about="short trades")
    assert said.body.startswith(
        f"When funding is above 0.065, {found.successes} of 60 short trades won (83 %), "
        f"otherwise {found.other_successes} of 140 (29 %)."
    )
    assert said.title == "More short trades won when funding is above 0.065"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            lambda n, good: {"setup": "breakout" if good else "fade"},
            {("setup", "breakout"), ("setup", "fade")},
        ),
        (lambda n, good: {"late": good}, {("late", True), ("late", False)}),
        (lambda n, good: {"tags": ("news",) if good else ()}, {("tag", "news")}),
        (
            lambda n, good: {"entities": ("Ann",) if good else ("Bob",)},
            {("entity", "Ann"), ("entity", "Bob")},
        ),
        (
            lambda n, good: {"kind": "signal" if good else "event"},
            {("kind", "signal"), ("kind", "event")},
        ),
        (
            lambda n, good: {"at": (24 * n + (8 if good else 20)) * HOUR},
            {("hour", "06-12"), ("hour", "18-24")},
        ),
        (lambda n, good: {"signals": {"x": 5 + good}}, {("x", 5.5)}),
    ],
)
def test_every_sort_of_condition_is_found_and_only_once(made, expected):
    episodes = [
        ended(n, random.random() < (0.8 if n % 2 else 0.3), **made(n, bool(n % 2)))
        for n, random in drawn()
    ]
    found = named(episodes)
    assert len(found) == 1
    assert set(found) <= expected


def test_what_came_before_is_a_condition():
    episodes = []
    for n in range(400):
        episodes.append(ended(2 * n, None, kind="signal" if n % 3 == 0 else "event"))
        episodes.append(ended(2 * n + 1, n % 5 != 0 if n % 3 == 0 else n % 5 == 0))
    assert named(episodes) in ([("previous kind", "signal")], [("previous kind", "event")])


def test_noise_gives_no_lesson():
    for seed in range(5):
        episodes = [
            ended(
                n,
                bool(random.random() < 0.5),
                **{f"a{k}": float(random.random()) for k in range(20)},
                **{f"b{k}": str(random.integers(4)) for k in range(10)},
            )
            for n, random in drawn(300, seed)
        ]
        assert find_separating(episodes) == []


def test_an_attribute_that_tells_the_outcome_is_no_condition():
    episodes = [
        ended(n, n % 2 == 0, pnl=1.0 if n % 2 == 0 else -1.0, result="x" if n % 2 else "y")
        for n in range(100)
    ]
    assert not {"pnl", "result"} & {name for name, _ in named(episodes)}


def test_a_condition_that_only_repeats_a_stronger_one_is_dropped():
    episodes = [
        ended(
            n,
            bool(random.random() < (0.85 if n % 2 else 0.3)),
            side="a" if n % 2 else "b",
            copy="c" if (n % 2 == 0) is (random.random() < 0.1) else "d",
        )
        for n, random in drawn(1_000)
    ]
    assert [name for name, _ in named(episodes)] == ["side"]


def test_trials_of_one_task_do_not_count_as_many():
    episodes = [
        ended(n, n // 25 in (0, 1), tool="x" if n // 25 in (0, 1) else "y") for n in range(100)
    ]
    assert find_separating(episodes)
    assert find_separating(episodes, units=[n // 25 for n in range(100)]) == []


def test_too_few_or_all_alike_give_nothing():
    assert find_separating([]) == []
    assert find_separating([ended(n, True, x=n) for n in range(100)]) == []
    assert find_separating([ended(n, n % 2 == 0, x=n % 2) for n in range(10)]) == []
    assert find_separating([ended(n, None, x=n) for n in range(100)]) == []


def test_an_attribute_some_lack_is_judged_by_those_that_have_it():
    wins = [bool(random.random() < 0.5) for _, random in drawn(300)]
    episodes = [ended(n, won, **({"x": int(won)} if n < 100 else {})) for n, won in enumerate(wins)]
    (found,) = [one for one in find_separating(episodes) if one.condition.name == "x"]
    assert found.n + found.other_n == 100


def test_fisher_is_twice_the_smaller_tail():
    (p,) = fisher([9], [12], [14], [40])
    assert p == pytest.approx(2 * hypergeom(52, 23, 12).sf(8))
    assert fisher([5], [10], [5], [10])[0] == 1.0
    assert fisher([], [], [], []).size == 0


def test_holm_corrects_for_all_that_were_tried():
    assert holm(np.array([0.01, 0.04, 0.03])).tolist() == pytest.approx([0.03, 0.06, 0.06])


def test_a_threshold_is_the_shortest_number_between_two_values():
    assert between(0.0791, 0.0812) == 0.08
    low, high = 1.0, np.nextafter(1.0, 2.0)
    assert low <= between(low, high) < high


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (Condition("side", "=", "SHORT"), True),
        (Condition("side", "!=", "short"), False),
        (Condition("funding", ">", 0.08), True),
        (Condition("funding", "<=", 0.08), False),
        (Condition("funding", ">", "high"), None),
        (Condition("missing", "=", 1), None),
        (Condition("rsi", ">", 70), True),
        (Condition("tag", "=", "News"), True),
        (Condition("tag", "!=", "news"), False),
        (Condition("entity", "=", "Bob"), False),
        (Condition("text", "contains", "rsi was"), True),
        (Condition("kind", "=", "trade_close"), True),
        (Condition("hour", "=", "06-12"), True),
        (Condition("hour", ">=", 9), True),
        (Condition("weekday", "=", "thursday"), True),
        (Condition("previous kind", "=", "event"), None),
        (Condition("side", "contains", "hor"), True),
    ],
)
def test_a_condition_holds_does_not_or_is_not_known(condition, expected):
    one = make_episode(
        "x",
        "custom:trade_close",
        9 * HOUR,
        "Close",
        "The RSI was at 71.5 then.",
        tags=["news"],
        entities=["Ann"],
        attributes={"side": "short", "funding": 0.09},
    )
    assert condition.holds(one) is expected


@pytest.mark.parametrize(
    "name",
    ["kind", "tag", "entity", "text", "hour", "weekday", "previous kind", "previous outcome"],
)
def test_every_condition_can_be_put_in_words(name):
    assert "06" in phrase(Condition(name, "=", "06-12"))


def test_a_number_too_large_is_as_if_it_were_not_told():
    episodes = [
        make_episode(
            f"m{n}",
            "event",
            n,
            "run",
            attributes={"size": 10**309 if n == 39 else n, "success": n < 20},
        )
        for n in range(40)
    ]
    assert value_of("size", episodes[39]) is None
    assert average("size", episodes[38:]) is None
    assert [one.condition.name for one in find_separating(episodes)][:1] == ["size"]
