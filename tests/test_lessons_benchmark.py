"""The benchmark of lessons finds what it plants, and judges held-out tasks only."""

from __future__ import annotations

import json

import pytest

from benchmarks import lessons
from benchmarks.harness import trials
from benchmarks.harness.contract import Options
from glymph.learn.conditions import Condition, Finding, find_separating


def steps(good):
    return [
        ["user", "Cancel my flight"],
        ["call", "get_user_details", "{}"],
        ["result", "get_user_details", "ok" if good else "Error: none"],
        ["agent", "Done."],
    ]


@pytest.fixture
def airline(tmp_path):
    """Forty tasks of which those with an error fail; what was asked for must not matter."""
    rows = [
        {"task": f"t{n // 4}", "trial": n % 4, "success": n % 4 < 2, "instruction": f"secret {n}",
         "gold_actions": [["think", {}]], "steps": steps(n % 4 < 2)}
        for n in range(160)
    ]  # fmt: skip
    path = tmp_path / "episodes_tau_airline.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_planted_conditions_are_found_and_recognised():
    made = trials.built(2_000, 3)
    found = find_separating(made.episodes)
    assert len({made.right(one) for one in found} - {None}) >= 5
    assert [made.right(one) for one in found].count(None) <= 1


def test_a_finding_on_noise_the_wrong_side_or_a_far_threshold_is_not_planted():
    made = trials.Built([])
    up, down = (8, 10, 2, 10), (2, 10, 8, 10)

    def right(name, relation, value, counts):
        return made.right(Finding(Condition(name, relation, value), *counts, 0.0, 0.0, 1, ()))

    assert right("funding", ">", 0.7, up) == "funding"
    assert right("funding", ">", 0.7, down) is None
    assert right("funding", ">", 0.2, up) is None
    assert right("noise_1", ">", 0.7, up) is None
    assert right("setup", "=", "fade", down) is None
    assert right("tag", "=", "news", down) == "tag"


def test_a_trial_is_told_only_by_what_the_agent_did_and_saw(airline):
    found = trials.airline(airline)
    told = json.dumps([dict(one.episode.attributes) for one in found])
    assert "secret" not in told
    assert found[0].episode.attributes["errors seen"] == 0
    assert found[3].episode.attributes["errors seen"] == 1
    assert {one.task for one in found} == {f"t{n}" for n in range(40)}


def test_a_true_condition_lifts_on_held_out_tasks(airline):
    learnt, told = lessons.held_out(trials.airline(airline), by_task=True, seed=1)
    assert {one.condition.name for one in learnt} == {"errors seen"}
    assert lessons.lift(told) == 1.0
    assert lessons.interval(told, 1) == (1.0, 1.0)


def test_without_lessons_the_lift_is_nothing():
    told = [lessons.Told("t", 0, True)]
    assert (lessons.lift(told), lessons.interval(told, 1)) == (0.0, (0.0, 0.0))


def test_the_benchmark_gives_every_figure(airline):
    found = lessons.run(Options(scale=0.1, seed=5, data=airline.parent))
    assert {
        "planted_found",
        "planted_false",
        "tau_lessons",
        "tau_matched",
        "tau_lift",
        "cpu_s_10k",
    } <= set(found)
